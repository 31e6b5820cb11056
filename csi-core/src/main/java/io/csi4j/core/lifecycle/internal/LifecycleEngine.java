package io.csi4j.core.lifecycle.internal;

import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.change.RequestedChanges;
import io.csi4j.core.lifecycle.internal.change.VolumeRegistration;
import io.csi4j.core.lifecycle.internal.change.Withdrawals;
import io.csi4j.core.lifecycle.internal.claim.ClaimEngine;
import io.csi4j.core.lifecycle.internal.claim.ClaimViews;
import io.csi4j.core.lifecycle.internal.claim.NodeOverrides;
import io.csi4j.core.lifecycle.internal.claim.StateViews;
import io.csi4j.core.lifecycle.internal.list.VolumeList;
import io.csi4j.core.lifecycle.internal.list.VolumeProblems;
import io.csi4j.core.lifecycle.internal.operation.LeftoverOperations;
import io.csi4j.core.lifecycle.internal.operation.PluginOperations;
import io.csi4j.core.lifecycle.internal.reconcile.CapacityQueries;
import io.csi4j.core.lifecycle.internal.reconcile.HealthQueries;
import io.csi4j.core.lifecycle.internal.reconcile.Housekeeping;
import io.csi4j.core.lifecycle.internal.reconcile.NodeInfoQuery;
import io.csi4j.core.lifecycle.internal.reconcile.NodeReports;
import io.csi4j.core.lifecycle.internal.reconcile.OrphanSearch;
import io.csi4j.core.lifecycle.internal.reconcile.ProviderListing;
import io.csi4j.core.lifecycle.internal.reconcile.ProviderQueries;
import io.csi4j.core.lifecycle.internal.reconcile.ProviderReconciliation;
import io.csi4j.core.lifecycle.internal.reconcile.ReportedHealth;
import io.csi4j.core.lifecycle.internal.reconcile.VolumeConfirmation;
import io.csi4j.core.lifecycle.internal.snapshot.ContentSources;
import io.csi4j.core.lifecycle.internal.snapshot.GroupSnapshotOperations;
import io.csi4j.core.lifecycle.internal.snapshot.SnapshotListing;
import io.csi4j.core.lifecycle.internal.snapshot.SnapshotMetadata;
import io.csi4j.core.lifecycle.internal.snapshot.SnapshotOperations;
import io.csi4j.core.lifecycle.internal.snapshot.SnapshotRows;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;

/** Creates the parts of the lifecycle engine and connects them. */
public final class LifecycleEngine {
    private final Operations operations;
    private final RequestedChanges changes;
    private final Withdrawals withdrawals;
    private final VolumeRegistration registration;
    private final LeftoverOperations leftovers;
    private final SnapshotListing snapshotListing;
    private final SnapshotOperations snapshots;
    private final SnapshotRows snapshotRows;
    private final SnapshotMetadata metadata;
    private final GroupSnapshotOperations groups;
    private final ProviderQueries providerQueries;
    private final HealthQueries health;
    private final PluginOperations plugins;
    private final ProviderReconciliation reconciliation;
    private final OrphanSearch orphans;
    private final NodeReports nodeReports;
    private final Housekeeping housekeeping;
    private final StateViews views;
    private final VolumeList volumeList;
    private final ClaimEngine claims;
    private final ClaimViews claimViews;
    private final NodeOverrides nodeOverrides;
    private final ReportedHealth reportedHealth;
    private final CapacityQueries capacity;

    public LifecycleEngine(EnginePorts ports) {
        this.operations = new Operations(ports);
        RowWaits waits = new RowWaits(ports);
        VolumeConfirmation confirmation = new VolumeConfirmation(operations);
        this.registration = new VolumeRegistration(operations, confirmation);
        this.leftovers = new LeftoverOperations(operations);
        this.snapshotListing = new SnapshotListing(operations);
        this.snapshots = new SnapshotOperations(operations, snapshotListing);
        this.snapshotRows = new SnapshotRows(operations, waits);
        this.metadata = new SnapshotMetadata(operations, snapshotListing);
        this.groups = new GroupSnapshotOperations(operations, snapshotListing);
        this.reportedHealth = new ReportedHealth();
        this.providerQueries = new ProviderQueries(operations, reportedHealth);
        this.health = new HealthQueries(operations, providerQueries, reportedHealth);
        this.views = new StateViews(operations);
        this.plugins = new PluginOperations(operations, waits, views);
        this.capacity = new CapacityQueries(operations);
        ContentSources sources = new ContentSources(operations, snapshotListing);
        this.claims =
                new ClaimEngine(operations, waits, views, sources, new NodeInfoQuery(operations)::refresh, capacity);
        this.changes = new RequestedChanges(operations, waits, sources, claims::tryNow);
        this.withdrawals = new Withdrawals(operations, confirmation, claims::leadership);
        this.claimViews = new ClaimViews(operations, claims);
        this.nodeOverrides = new NodeOverrides(operations);
        ProviderListing listing = new ProviderListing(operations, providerQueries);
        this.reconciliation = new ProviderReconciliation(operations, listing, claims, claims::mayCall);
        this.orphans = new OrphanSearch(operations, listing, claims::leadership);
        this.nodeReports = new NodeReports(operations, claims::tryNow);
        this.volumeList = new VolumeList(
                operations, plugins, claims, new VolumeProblems(operations, reportedHealth, nodeReports));
        this.housekeeping = new Housekeeping(operations, plugins, reconciliation, nodeReports);
    }

    /** Stops the work of the leader, and drops what only the leader renews, so that nothing old is shown as current. */
    public void stopLeading() {
        housekeeping.stop();
        capacity.stop();
        claims.stop();
        operations.calls().failures().clear();
        reportedHealth.clear();
    }

    public Operations operations() {
        return operations;
    }

    public RequestedChanges changes() {
        return changes;
    }

    public Withdrawals withdrawals() {
        return withdrawals;
    }

    public VolumeRegistration registration() {
        return registration;
    }

    public LeftoverOperations leftovers() {
        return leftovers;
    }

    public SnapshotListing snapshotListing() {
        return snapshotListing;
    }

    public SnapshotRows snapshotRows() {
        return snapshotRows;
    }

    public SnapshotMetadata metadata() {
        return metadata;
    }

    public SnapshotOperations snapshots() {
        return snapshots;
    }

    public GroupSnapshotOperations groups() {
        return groups;
    }

    public ProviderQueries providerQueries() {
        return providerQueries;
    }

    public HealthQueries health() {
        return health;
    }

    public PluginOperations plugins() {
        return plugins;
    }

    public OrphanSearch orphans() {
        return orphans;
    }

    public ProviderReconciliation reconciliation() {
        return reconciliation;
    }

    public NodeReports nodeReports() {
        return nodeReports;
    }

    public Housekeeping housekeeping() {
        return housekeeping;
    }

    public StateViews views() {
        return views;
    }

    public CapacityQueries capacity() {
        return capacity;
    }

    public VolumeList volumeList() {
        return volumeList;
    }

    public ClaimEngine claims() {
        return claims;
    }

    public ClaimViews claimViews() {
        return claimViews;
    }

    public NodeOverrides nodeOverrides() {
        return nodeOverrides;
    }
}
