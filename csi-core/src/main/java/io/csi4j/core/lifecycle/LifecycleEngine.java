package io.csi4j.core.lifecycle;

import java.util.Optional;

/** The parts of the engine, put together once. */
final class LifecycleEngine {
    private final Operations operations;
    private final VolumeDeletion deletion;
    private final VolumeCreation creation;
    private final VolumeRegistration registration;
    private final VolumeExpander expander;
    private final VolumeModification modification;
    private final SnapshotListing snapshotListing;
    private final SnapshotOperations snapshots;
    private final SnapshotMetadata metadata;
    private final GroupSnapshotOperations groups;
    private final ProviderLooks looks;
    private final HealthLooks health;
    private final PluginOperations plugins;
    private final ProviderReconciliation reconciliation;
    private final OrphanSearch orphans;
    private final Housekeeping housekeeping;
    private final Views views;
    private final ClaimEngine claims;
    private final ClaimViews claimViews;

    LifecycleEngine(EnginePorts ports) {
        this.operations = new Operations(
                ports, new PluginLimiter(ports.options(), ports.executor()), new CallTurns(ports.executor()));
        this.registration = new VolumeRegistration(operations);
        this.deletion = new VolumeDeletion(operations, registration::validate, this::leadership);
        this.creation = new VolumeCreation(operations, deletion);
        NodeExpander nodes = new NodeExpander(operations);
        this.expander = new VolumeExpander(operations, nodes);
        this.modification = new VolumeModification(operations);
        this.snapshotListing = new SnapshotListing(operations);
        this.snapshots = new SnapshotOperations(operations, snapshotListing);
        this.metadata = new SnapshotMetadata(operations, snapshotListing);
        this.groups = new GroupSnapshotOperations(operations, snapshotListing);
        this.looks = new ProviderLooks(operations);
        this.health = new HealthLooks(operations, looks);
        this.plugins = new PluginOperations(operations);
        this.views = new Views(operations);
        this.claims = new ClaimEngine(operations, new IntentWork(creation, deletion, expander, nodes, modification));
        operations.pending().tryNowWith(claims::tryNow);
        this.claimViews = new ClaimViews(operations, claims);
        ProviderListing listing = new ProviderListing(operations, looks);
        this.reconciliation = new ProviderReconciliation(operations, listing, claims);
        this.orphans = new OrphanSearch(operations, listing, claims::leadership);
        this.housekeeping = new Housekeeping(operations, plugins, reconciliation);
    }

    Operations operations() {
        return operations;
    }

    VolumeDeletion deletion() {
        return deletion;
    }

    VolumeCreation creation() {
        return creation;
    }

    VolumeRegistration registration() {
        return registration;
    }

    VolumeExpander expander() {
        return expander;
    }

    VolumeModification modification() {
        return modification;
    }

    SnapshotListing snapshotListing() {
        return snapshotListing;
    }

    SnapshotMetadata metadata() {
        return metadata;
    }

    SnapshotOperations snapshots() {
        return snapshots;
    }

    GroupSnapshotOperations groups() {
        return groups;
    }

    ProviderLooks looks() {
        return looks;
    }

    HealthLooks health() {
        return health;
    }

    PluginOperations plugins() {
        return plugins;
    }

    OrphanSearch orphans() {
        return orphans;
    }

    ProviderReconciliation reconciliation() {
        return reconciliation;
    }

    Housekeeping housekeeping() {
        return housekeeping;
    }

    Views views() {
        return views;
    }

    ClaimEngine claims() {
        return claims;
    }

    ClaimViews claimViews() {
        return claimViews;
    }

    private Optional<Object> leadership() {
        return claims.leadership();
    }
}
