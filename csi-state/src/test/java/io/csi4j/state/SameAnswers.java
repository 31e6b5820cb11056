package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.StateRestore;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.EndedOwner;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Compares the results of all queries on two states, for all existing and some missing rows. */
final class SameAnswers {
    private final StateReader actual;
    private final StateReader oracle;
    private final Set<NodeId> nodes = new TreeSet<>(List.of(NodeId.of("absent")));
    private final Set<PluginId> plugins = new TreeSet<>(List.of(PluginId.of("absent")));
    private final Set<AllocationId> allocations = new TreeSet<>(List.of(AllocationId.of("absent")));

    private SameAnswers(StateReader actual, StateReader oracle) {
        this.actual = actual;
        this.oracle = oracle;
    }

    /** Compares all queries. */
    static void check(StateReader actual, StateReader oracle) {
        SameAnswers same = new SameAnswers(actual, oracle);
        same.rows();
        same.indexes();
    }

    private void rows() {
        same("index", actual.index(), oracle.index());
        List<Volume> volumes = actual.volumes(VolumeQuery.all()).items();
        same("volumes", volumes, oracle.volumes(VolumeQuery.all()).items());
        for (Volume volume : volumes) {
            same("volume", actual.volume(volume.key()), oracle.volume(volume.key()));
            plugins.add(volume.pluginId());
            volume.claims().forEach(claim -> {
                nodes.add(claim.nodeId());
                allocations.add(claim.allocationId());
            });
            volume.attachments().forEach(attachment -> nodes.add(attachment.nodeId()));
            volume.owner().flatMap(VolumeOwner::ofAllocation).ifPresent(allocations::add);
            volume.owner().flatMap(VolumeOwner::ofWorkload).ifPresent(owner -> {
                Namespace namespace = volume.key().namespace();
                WorkloadName name = owner.workload().name();
                same("owned", actual.volumesOwnedBy(namespace, name), oracle.volumesOwnedBy(namespace, name));
            });
            volume.firstClaim().ifPresent(first -> {
                nodes.add(first.nodeId());
                allocations.add(first.allocationId());
            });
        }
        for (Node node : same("nodes", actual.nodes(), oracle.nodes())) {
            same("node", actual.node(node.id()), oracle.node(node.id()));
            nodes.add(node.id());
        }
        for (Allocation allocation : same("allocations", actual.allocations(), oracle.allocations())) {
            same("allocation", actual.allocation(allocation.id()), oracle.allocation(allocation.id()));
            allocations.add(allocation.id());
            nodes.add(allocation.nodeId());
        }
        for (PluginInstance instance : same("instances", actual.instances(), oracle.instances())) {
            same("instance", actual.instance(instance.key()), oracle.instance(instance.key()));
            plugins.add(instance.key().pluginId());
            nodes.add(instance.key().nodeId());
        }
        for (PluginDeployment deployment : same("deployments", actual.deployments(), oracle.deployments())) {
            same("deployment", actual.deployment(deployment.id()), oracle.deployment(deployment.id()));
            plugins.addAll(deployment.expected().keySet());
        }
        for (Leftover leftover : same("leftovers", actual.leftovers(), oracle.leftovers())) {
            same("leftover", actual.leftover(leftover.key()), oracle.leftover(leftover.key()));
        }
        for (WithdrawnCreation withdrawn :
                same("withdrawn", actual.withdrawnCreations(), oracle.withdrawnCreations())) {
            same("withdrawn", actual.withdrawnCreation(withdrawn.key()), oracle.withdrawnCreation(withdrawn.key()));
        }
        for (RequestedClaims requested : same("requested", actual.requestedClaims(), oracle.requestedClaims())) {
            same("requested", actual.requestedClaims(requested.key()), oracle.requestedClaims(requested.key()));
            allocations.add(requested.allocationId());
        }
        for (AccessToken token : same("tokens", actual.accessTokens(), oracle.accessTokens())) {
            same("token", actual.accessToken(token.id()), oracle.accessToken(token.id()));
        }
        RowType<Long, RefusedCreation> refused = RowType.REFUSED_CREATIONS;
        for (RefusedCreation row : same("refused", actual.rows(refused), oracle.rows(refused))) {
            same("refusal", actual.row(refused, row.createIndex()), oracle.row(refused, row.createIndex()));
        }
        for (VolumeClass row : same("classes", actual.volumeClasses(), oracle.volumeClasses())) {
            same("class", actual.volumeClass(row.name()), oracle.volumeClass(row.name()));
        }
        RowType<EndedOwner.Key, EndedOwner> ended = RowType.ENDED_OWNERS;
        for (EndedOwner row : same("ended owners", actual.rows(ended), oracle.rows(ended))) {
            same("ended owner", actual.row(ended, row.key()), oracle.row(ended, row.key()));
        }
        for (PluginProfile row : same("plugin profiles", actual.pluginProfiles(), oracle.pluginProfiles())) {
            same("plugin profile", actual.pluginProfile(row.pluginId()), oracle.pluginProfile(row.pluginId()));
        }
        for (VolumeSnapshot row : same("snapshots", actual.snapshots(), oracle.snapshots())) {
            same("snapshot", actual.snapshot(row.key()), oracle.snapshot(row.key()));
            VolumeKey source = row.spec().source();
            same("snapshots of a volume", actual.snapshotsOf(source), oracle.snapshotsOf(source));
        }
        same("unsettled snapshots", actual.unsettledSnapshots(), oracle.unsettledSnapshots());
        RowType<Long, StateRestore> restores = RowType.RESTORES;
        for (StateRestore row : same("restores", actual.rows(restores), oracle.rows(restores))) {
            same("restore", actual.row(restores, row.index()), oracle.row(restores, row.index()));
        }
        for (VolumeQuota row : same("quotas", actual.quotas(), oracle.quotas())) {
            same("quota", actual.quota(row.key()), oracle.quota(row.key()));
        }
        for (String namespace : List.of("default", "batch", "team-a", "absent")) {
            QuotaKey all = QuotaKey.of(Namespace.of(namespace));
            same("use", actual.quotaUse(all), oracle.quotaUse(all));
            for (String name : List.of("c0", "c1", "c2", "fast", "absent")) {
                QuotaKey key = QuotaKey.of(all.namespace(), VolumeClassName.of(name));
                same("use of class", actual.quotaUse(key), oracle.quotaUse(key));
            }
        }
        for (PluginFacts facts : same("facts", actual.facts(), oracle.facts())) {
            plugins.add(facts.pluginId());
        }
    }

    private void indexes() {
        same("unsettled", actual.unsettledVolumes(), oracle.unsettledVolumes());
        for (AllocationId id : allocations) {
            same("claimed by " + id, actual.volumesClaimedBy(id), oracle.volumesClaimedBy(id));
            same("requested by " + id, actual.requestedClaimsOf(id), oracle.requestedClaimsOf(id));
        }
        for (NodeId id : nodes) {
            same("volumes on " + id, actual.volumesOn(id), oracle.volumesOn(id));
            same("allocations on " + id, actual.allocationsOn(id), oracle.allocationsOn(id));
            same("instances on " + id, actual.instancesOn(id), oracle.instancesOn(id));
            for (PluginId plugin : plugins) {
                same("volumes on " + id, actual.volumesOn(id, plugin), oracle.volumesOn(id, plugin));
                same("instances on " + id, actual.instancesOn(id, plugin), oracle.instancesOn(id, plugin));
            }
        }
        for (PluginId id : plugins) {
            same("volumes of " + id, actual.volumesOf(id), oracle.volumesOf(id));
            same("instances of " + id, actual.instancesOf(id), oracle.instancesOf(id));
            same("unproved of " + id, actual.unprovedOf(id), oracle.unprovedOf(id));
            same("deployments of " + id, actual.deploymentsOf(id), oracle.deploymentsOf(id));
            same("facts of " + id, actual.facts(id), oracle.facts(id));
            for (PluginType type : PluginType.values()) {
                same("instances of " + id, actual.instancesOf(id, type), oracle.instancesOf(id, type));
            }
            same(
                    "view of " + id,
                    actual.plugin(id).toString(),
                    oracle.plugin(id).toString());
            for (Volume volume : oracle.volumes(VolumeQuery.all()).items()) {
                ExternalVolumeId external = volume.remoteId();
                same("named", actual.volumesNamed(id, volume.name()), oracle.volumesNamed(id, volume.name()));
                volume.spec()
                        .contentSource()
                        .ifPresent(source ->
                                same("creations", actual.creationsFrom(id, source), oracle.creationsFrom(id, source)));
                same("external", actual.volumeByExternalId(id, external), oracle.volumeByExternalId(id, external));
            }
        }
    }

    /** Compares the listings for all combinations of filters, page by page. */
    static void checkListings(StateReader actual, StateReader oracle, Lists lists) {
        for (Namespace namespace : lists.namespaces()) {
            for (String prefix : lists.prefixes()) {
                for (PluginId plugin : lists.plugins()) {
                    for (NodeId node : lists.nodes()) {
                        VolumeQuery query = VolumeQuery.builder()
                                .namespace(namespace)
                                .idPrefix(prefix)
                                .pluginId(plugin)
                                .nodeId(node)
                                .limit(lists.limit())
                                .build();
                        checkPages(actual, oracle, query);
                    }
                }
            }
        }
    }

    private static void checkPages(StateReader actual, StateReader oracle, VolumeQuery query) {
        VolumeQuery at = query;
        List<VolumeKey> found = new ArrayList<>();
        while (true) {
            ListPage<Volume, VolumeKey> page = actual.volumes(at);
            same(at.toString(), page, oracle.volumes(at));
            page.items().forEach(volume -> found.add(volume.key()));
            if (page.next().isEmpty()) {
                break;
            }
            at = query.toBuilder().after(page.next().get()).build();
        }
        assertThat(found).doesNotHaveDuplicates();
    }

    /** The values for filters; null means no filter. */
    record Lists(
            List<Namespace> namespaces, List<String> prefixes, List<PluginId> plugins, List<NodeId> nodes, int limit) {}

    private static <T> List<T> same(String what, Iterable<T> actual, Iterable<T> oracle) {
        List<T> mine = new ArrayList<>();
        actual.forEach(mine::add);
        List<T> theirs = new ArrayList<>();
        oracle.forEach(theirs::add);
        same(what, (Object) mine, theirs);
        return mine;
    }

    private static void same(String what, Object actual, Object oracle) {
        // Compares without an assertion object, because there are many millions of results.
        if (!actual.equals(oracle)) {
            fail("%s: the store says %s, the oracle %s", what, actual, oracle);
        }
    }
}
