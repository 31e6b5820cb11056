package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Volume;
import java.security.Principal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AccessTest {
    private static final Principal EVE = () -> "eve";

    private final VolumeRig rig = VolumeRig.started();
    private final Set<Access> granted = new HashSet<>();

    @BeforeEach
    void volumesInTwoNamespaces() {
        for (String namespace : List.of("a", "b")) {
            for (int i = 0; i < 3; i++) {
                rig.done(rig.engine()
                        .volumes()
                        .create(
                                VolumeKey.of(namespace, "v" + i),
                                VolumeRig.spec().build()));
            }
        }
        rig.gateway.calls().clear();
        rig.access = (caller, access) -> !caller.getName().equals("eve") || granted.contains(access);
    }

    private void grant(String namespace, Permission permission) {
        granted.add(Access.in(Namespace.of(namespace), permission));
    }

    private CallerOperations eve() {
        return rig.engine().as(EVE);
    }

    @Test
    void writePermissionDoesNotRevealVolumeSecrets() {
        VolumeKey key = VolumeKey.of("a", "v0");
        granted.add(Access.in(key.namespace(), Permission.VOLUME_WRITE));
        granted.add(Access.of(Permission.PLUGIN_READ));
        CallerOperations eve = rig.engine().as(EVE);
        List<CompletableFuture<Volume>> answers = List.of(
                eve.volumes().register(key, VolumeRig.spec().build()),
                eve.volumes().create(VolumeKey.of("a", "mine"), VolumeRig.spec().build()),
                eve.volumes().modify(key, Map.of("tier", "gold")),
                eve.volumes().expand(key, CapacityRange.atLeast(200)).thenApply(ExpandResult::volume));
        for (CompletableFuture<Volume> answer : answers) {
            Volume found = rig.done(answer);
            assertThat(found.spec().secrets().isEmpty()).isTrue();
            assertThat(found.volumeContext().isEmpty()).isTrue();
        }
        granted.add(Access.of(Permission.MANAGEMENT));
        assertThat(rig.done(eve.volumes().modify(key, Map.of("tier", "silver")))
                        .spec()
                        .secrets())
                .isEqualTo(VolumeRig.SECRETS);
    }

    @Test
    void callerWithoutPermissionsIsDeniedBeforeAnyReadWriteOrCall() {
        VolumeKey key = VolumeKey.of("a", "v0");
        VolumeKey none = VolumeKey.of("a", "none");
        List<CompletableFuture<?>> attempts = List.of(
                eve().volumes().register(key, VolumeRig.spec().build()),
                eve().volumes().create(key, VolumeRig.spec().build()),
                eve().volumes().delete(key),
                eve().volumes().delete(none),
                eve().volumes().deregister(key),
                eve().volumes().expand(key, CapacityRange.atLeast(1)),
                eve().volumes().modify(key, Map.of("a", "b")),
                eve().volumes().get(key),
                eve().volumes()
                        .list(VolumeQuery.builder().namespace(Namespace.of("a")).build()),
                eve().snapshots().create(SnapshotRequest.of(key, "s")),
                eve().snapshots().delete(VolumeRig.PLUGIN, SnapshotId.of("s")),
                eve().snapshots().get(VolumeRig.PLUGIN, SnapshotId.of("s")),
                eve().snapshots().list(VolumeRig.PLUGIN, Optional.empty(), 0, ""),
                eve().snapshots().createGroup(new GroupSnapshotRequest("g", List.of(key), Map.of())),
                eve().snapshots().getGroup(VolumeRig.PLUGIN, GroupSnapshotId.of("g"), List.of(SnapshotId.of("s"))),
                eve().snapshots().deleteGroup(VolumeRig.PLUGIN, GroupSnapshotId.of("g"), List.of(SnapshotId.of("s"))),
                eve().volumes().listExternal(VolumeRig.PLUGIN, 0, ""),
                eve().volumes()
                        .capacity(VolumeRig.PLUGIN, GetCapacityRequest.builder().build()),
                eve().volumes().health(key),
                eve().operator().plugins(PluginQuery.all()),
                eve().operator().plugin(VolumeRig.PLUGIN),
                eve().operator().deletePlugin(VolumeRig.PLUGIN),
                eve().operator().reconcile(VolumeRig.PLUGIN, true));
        long index = rig.log.snapshot().index();
        for (CompletableFuture<?> attempt : attempts) {
            assertThat(rig.failed(attempt, AccessDeniedException.class)).hasMessageContaining("'eve' needs");
        }
        assertThat(rig.gateway.calls()).isEmpty();
        assertThat(rig.log.snapshot().index()).isEqualTo(index);
    }

    @Test
    void permissionIsCheckedInNamespaceOfAccessedVolume() {
        granted.add(Access.of(Permission.PLUGIN_READ));
        grant("a", Permission.VOLUME_WRITE);
        rig.failed(eve().volumes().delete(VolumeKey.of("b", "v0")), AccessDeniedException.class);
        rig.done(eve().volumes().delete(VolumeKey.of("a", "v0")));
        rig.failed(
                eve().snapshots()
                        .createGroup(new GroupSnapshotRequest(
                                "g", List.of(VolumeKey.of("a", "v1"), VolumeKey.of("b", "v1")), Map.of())),
                AccessDeniedException.class);
    }

    @Test
    void pagesOfVolumeListContainOnlyVolumesOfReadableNamespaces() {
        grant("b", Permission.VOLUME_LIST);
        List<String> found = new ArrayList<>();
        Optional<VolumeKey> after = Optional.empty();
        do {
            ListPage<VolumeSummary, VolumeKey> page = rig.done(eve().volumes()
                    .list(VolumeQuery.builder()
                            .limit(2)
                            .after(after.orElse(null))
                            .build()));
            page.items().forEach(volume -> found.add(volume.key().toString()));
            assertThat(page.items()).hasSizeLessThanOrEqualTo(2);
            after = page.next();
        } while (after.isPresent());
        assertThat(found).containsExactly("b/v0", "b/v1", "b/v2");
        assertThat(rig.done(eve().volumes()
                                .list(VolumeQuery.builder()
                                        .namespace(Namespace.of("b"))
                                        .idPrefix("v1")
                                        .build()))
                        .items())
                .hasSize(1);
    }

    @Test
    void viewsHideSensitiveValuesThatStateContains() {
        Volume found = rig.done(rig.engine().volumes().get(VolumeKey.of("a", "v0")))
                .orElseThrow()
                .volume();
        assertThat(found.spec().secrets().isEmpty()).isTrue();
        assertThat(found.volumeContext()).isEqualTo(VolumeContext.empty());
        assertThat(rig.done(rig.engine().volumes().list(VolumeQuery.all())).items())
                .extracting(
                        VolumeSummary::key, VolumeSummary::pluginId, VolumeSummary::phase, VolumeSummary::schedulable)
                .contains(tuple(found.key(), found.pluginId(), found.phase(), true));
        Volume kept = rig.log.snapshot().volume(VolumeKey.of("a", "v0")).orElseThrow();
        assertThat(kept.spec().secrets()).isEqualTo(VolumeRig.SECRETS);
        assertThat(kept.volumeContext().isEmpty()).isFalse();
    }

    @Test
    void listOfProviderVolumesContainsOnlyVolumesOfReadableNamespaces() {
        granted.add(Access.of(Permission.PLUGIN_READ));
        grant("a", Permission.VOLUME_READ);
        List<ListVolumesResponse.Entry> entries = new ArrayList<>();
        rig.provider.volumes.values().forEach(v -> entries.add(new ListVolumesResponse.Entry(v, Optional.empty())));
        entries.add(new ListVolumesResponse.Entry(
                ExternalVolume.builder(ExternalVolumeId.of("stranger")).build(), Optional.empty()));
        rig.gateway
                .answer(Rpc.LIST_VOLUMES, request -> new ListVolumesResponse(entries, ""))
                .answer(Rpc.LIST_VOLUMES, request -> new ListVolumesResponse(entries, ""));
        assertThat(rig.done(eve().volumes().listExternal(VolumeRig.PLUGIN, 0, ""))
                        .entries())
                .hasSize(3);
        granted.add(Access.of(Permission.MANAGEMENT));
        assertThat(rig.done(eve().volumes().listExternal(VolumeRig.PLUGIN, 0, ""))
                        .entries())
                .hasSize(4);
    }

    @Test
    void snapshotOfUnregisteredVolumeNeedsManagePermission() {
        var snapshot = rig.done(rig.engine().snapshots().create(SnapshotRequest.of(VolumeKey.of("b", "v0"), "s")));
        granted.add(Access.of(Permission.PLUGIN_READ));
        grant("a", Permission.VOLUME_WRITE);
        rig.failed(eve().snapshots().delete(VolumeRig.PLUGIN, snapshot.snapshotId()), AccessDeniedException.class);
        rig.failed(eve().snapshots().delete(VolumeRig.PLUGIN, SnapshotId.of("nobodys")), AccessDeniedException.class);
        assertThat(rig.provider.snapshots).hasSize(1);
        grant("b", Permission.VOLUME_WRITE);
        rig.done(eve().snapshots().delete(VolumeRig.PLUGIN, snapshot.snapshotId()));
        assertThat(rig.provider.snapshots).isEmpty();
    }

    @Test
    void pluginReportShowsOnlyAllocationsOfReadableNamespaces() {
        List<PluginInstance> instances = new ArrayList<>();
        for (String namespace : List.of("a", "b")) {
            AllocationId id = AllocationId.of("of-" + namespace);
            rig.ok(new AllocationCommand.UpsertAllocation(
                    id,
                    Namespace.of(namespace),
                    NodeId.of("n1"),
                    Optional.empty(),
                    AllocationStatus.RUNNING,
                    rig.now()));
            instances.add(PluginInstance.builder(
                            new InstanceKey(NodeId.of("n1"), VolumeRig.PLUGIN, PluginType.NODE, Optional.of(id)),
                            rig.now())
                    .build());
        }
        rig.ok(new PluginCommand.FingerprintNode(NodeId.of("n1"), instances, rig.now()));
        granted.add(Access.of(Permission.PLUGIN_READ));
        grant("a", Permission.VOLUME_READ);
        assertThat(rig.done(eve().operator().plugin(VolumeRig.PLUGIN))
                        .orElseThrow()
                        .allocations())
                .extracting(allocation -> allocation.id().value())
                .containsExactly("of-a");
        assertThat(rig.done(rig.engine().operator().plugin(VolumeRig.PLUGIN))
                        .orElseThrow()
                        .allocations())
                .hasSize(2);
        assertThat(rig.done(rig.engine().operator().plugin(PluginId.of("none"))))
                .isEmpty();
    }

    @Test
    void deletingPluginInUseIsRejectedAndDeletingUnknownPluginSucceeds() {
        VolumeLifecycle engine = rig.engine();
        assertThat(rig.done(engine.operator().plugins(PluginQuery.all())).items())
                .extracting(view -> view.pluginId())
                .containsExactly(VolumeRig.PLUGIN);
        assertThat(rig.failed(engine.operator().deletePlugin(VolumeRig.PLUGIN), RejectedException.class))
                .hasMessageContaining("in use");
        rig.done(engine.operator().deletePlugin(PluginId.of("none")));
        assertThat(rig.done(engine.operator().plugin(VolumeRig.PLUGIN))).isPresent();
    }
}
