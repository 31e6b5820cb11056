package io.csi4j.core.lifecycle.internal.list;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeSummary;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Paging;
import io.csi4j.core.lifecycle.internal.claim.ClaimEngine;
import io.csi4j.core.lifecycle.internal.operation.PluginOperations;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.Volume;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Lists the volumes that a caller may list, each with its plugin, its claims and its health. */
public final class VolumeList {
    private final Operations operations;
    private final PluginOperations plugins;
    private final ClaimEngine claims;
    private final VolumeProblems problems;

    public VolumeList(Operations operations, PluginOperations plugins, ClaimEngine claims, VolumeProblems problems) {
        this.operations = operations;
        this.plugins = plugins;
        this.claims = claims;
        this.problems = problems;
    }

    /**
     * Returns a page of volumes. A query over all namespaces returns the volumes of the namespaces that the caller may
     * list.
     */
    public ListPage<VolumeSummary, VolumeKey> page(Caller caller, VolumeQuery query) {
        // A query by node reveals where volumes are used, and one by workload by whom: permission to list is not
        // enough.
        List<Permission> needed = query.nodeId().isPresent() || query.workload().isPresent()
                ? List.of(Permission.VOLUME_LIST, Permission.VOLUME_READ)
                : List.of(Permission.VOLUME_LIST);
        query.namespace()
                .ifPresent(name -> needed.forEach(
                        permission -> operations.permissions().allow(caller, Access.in(name, permission))));
        StateReader state = operations.state();
        Map<PluginId, PluginView> outlines = new HashMap<>();
        VolumeProblems.Known known = problems.now();
        return Paging.page(
                rows(state, query),
                query.limit(),
                Volume::key,
                volume -> needed.stream()
                                .allMatch(permission -> operations
                                        .permissions()
                                        .allows(caller, Access.in(volume.key().namespace(), permission)))
                        ? Optional.of(summary(
                                caller,
                                volume,
                                outlines.computeIfAbsent(
                                        volume.pluginId(),
                                        id -> plugins.view(state, id).outline()),
                                known.of(volume)))
                        : Optional.empty());
    }

    /** Returns the volumes that a query finds. One more than the page has is read, which shows whether a page follows. */
    private static Iterable<Volume> rows(StateReader state, VolumeQuery query) {
        VolumeQuery first = query.toBuilder()
                .limit(Math.min(query.limit(), Integer.MAX_VALUE - 1) + 1)
                .build();
        return () -> Stream.iterate(
                        Optional.of(state.volumes(first)),
                        Optional::isPresent,
                        page -> page.flatMap(ListPage::next)
                                .map(last -> state.volumes(
                                        first.toBuilder().after(last).build())))
                .flatMap(page -> page.orElseThrow().items().stream())
                .iterator();
    }

    private VolumeSummary summary(Caller caller, Volume volume, PluginView plugin, VolumeProblems.OfVolume health) {
        MountOptions options = volume.spec().mountOptions();
        int taken = volume.claims().count(ClaimState.TAKEN);
        boolean readable = operations.permissions().mayRead(caller, volume.key());
        return new VolumeSummary(
                volume.key(),
                volume.phase(),
                plugin,
                volume.classOrigin(),
                readable ? volume.owner() : Optional.empty(),
                volume.retainedSince(),
                volume.facts().capacityBytes(),
                volume.spec().requestedCapabilities(),
                volume.currentCapability(),
                options.fsType(),
                options.mountFlags().asList().size(),
                taken,
                volume.claims().size() - taken,
                claims.waitingFor(volume.key()),
                health.verdict(),
                readable ? health.problems() : List.of());
    }
}
