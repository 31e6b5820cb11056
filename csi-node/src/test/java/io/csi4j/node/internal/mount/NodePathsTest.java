package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction.Await;
import io.csi4j.node.internal.mount.MountAction.DirectUnmount;
import io.csi4j.node.internal.mount.MountAction.Forget;
import io.csi4j.node.internal.mount.MountAction.ForgetStaging;
import io.csi4j.node.internal.mount.MountAction.ForgetTarget;
import io.csi4j.node.internal.mount.MountAction.Publish;
import io.csi4j.node.internal.mount.MountAction.Refuse;
import io.csi4j.node.internal.mount.MountAction.Settled;
import io.csi4j.node.internal.mount.MountAction.Stage;
import io.csi4j.node.internal.mount.MountAction.Unpublish;
import io.csi4j.node.internal.mount.MountAction.UnpublishOrphan;
import io.csi4j.node.internal.mount.MountAction.Unstage;
import io.csi4j.node.internal.mount.MountAction.UnstageOrphan;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The path, the RPC and the use that each action concerns. */
class NodePathsTest {
    private static final VolumeKey KEY = VolumeKey.of("ns", "v");
    private static final AllocationId A = AllocationId.of("a");
    private static final UseId USE = UseId.first(A);
    private static final MountTerms BLOCK = new MountTerms(
            RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER),
            MountOptions.none(),
            false,
            PublishContext.empty(),
            VolumeContext.empty(),
            Optional.empty());
    private static final Path ORPHAN = Path.of("/base/publish/ns/v/stray");

    private final NodePaths paths = new NodePaths(Path.of("/base"));

    private void concerns(MountAction action, String path, Rpc rpc, boolean making, UseId use) {
        VolumeEntry entry =
                VolumeEntry.empty(KEY, false).staged(new StagingEntry(BLOCK, StagingPhase.STAGED, "boot", true));
        assertThat(paths.of(entry, action)).as("%s", action).hasToString(path);
        assertThat(action.rpc()).as("%s", action).isEqualTo(Optional.ofNullable(rpc));
        assertThat(action.isCall()).as("%s", action).isEqualTo(rpc != null || action instanceof DirectUnmount);
        assertThat(action.isMaking()).as("%s", action).isEqualTo(making);
        assertThat(action.use()).as("%s", action).isEqualTo(use);
        assertThat(action.allocation()).as("%s", action).isEqualTo(use == null ? null : A);
    }

    @Test
    void eachActionConcernsOnePath() {
        String target = "/base/publish/ns/v/a";
        String staging = "/base/staging/ns/v/block-1";
        concerns(new Stage(MountTerms.UNKNOWN), "/base/staging/ns/v/mount-1", Rpc.NODE_STAGE_VOLUME, true, null);
        concerns(new Publish(USE), target, Rpc.NODE_PUBLISH_VOLUME, true, USE);
        concerns(new Unpublish(USE), target, Rpc.NODE_UNPUBLISH_VOLUME, false, USE);
        concerns(new DirectUnmount(USE), target, null, false, USE);
        concerns(new ForgetTarget(USE), target, null, false, USE);
        concerns(new Refuse(USE, A), target, null, false, USE);
        concerns(new Unstage(), staging, Rpc.NODE_UNSTAGE_VOLUME, false, null);
        concerns(new ForgetStaging(), staging, null, false, null);
        concerns(new UnpublishOrphan(ORPHAN), ORPHAN.toString(), Rpc.NODE_UNPUBLISH_VOLUME, false, null);
        concerns(new UnstageOrphan(ORPHAN), ORPHAN.toString(), Rpc.NODE_UNSTAGE_VOLUME, false, null);
        VolumeEntry unstaged = VolumeEntry.empty(KEY, false);
        for (MountAction action : List.of(new Unstage(), new ForgetStaging())) {
            assertThatThrownBy(() -> paths.of(unstaged, action))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith("has no path");
        }
        for (MountAction action : List.of(new Forget(), new Settled(), new Await(MountAction.Reason.RETRY))) {
            assertThat(action.isCall()).isFalse();
            assertThat(action.isMaking()).isFalse();
            assertThat(action.rpc()).isEmpty();
            assertThat(action.use()).isNull();
            assertThat(action.allocation()).isNull();
        }
    }

    @Test
    void pathOfHostIsThatOfThePluginBelowItsOwnBase() {
        NodeService service = (NodeService) Proxy.newProxyInstance(
                NodeService.class.getClassLoader(), new Class<?>[] {NodeService.class}, (proxy, method, arguments) -> {
                    throw new AssertionError("unexpected call");
                });
        NodePlugin same = NodePlugin.of(service, CapabilitySet.of(NodeCapability.class, List.of()));
        NodePlugin moved = new NodePlugin(service, same.capabilities(), Optional.of(Path.of("/in/plugin")));
        assertThat(paths.pathFor(same, ORPHAN)).isEqualTo(ORPHAN.toString());
        assertThat(paths.pathFor(moved, ORPHAN)).isEqualTo("/in/plugin/publish/ns/v/stray");
    }

    @Test
    void directoriesAreBelowTheBase() {
        assertThat(paths.base()).hasToString("/base");
        assertThat(paths.ledger()).hasToString("/base/ledger");
        assertThat(paths.stagingRoot()).hasToString("/base/staging");
        assertThat(paths.publishRoot()).hasToString("/base/publish");
        assertThat(NodePaths.childOf(Path.of("/base/publish/ns/v"), ORPHAN.resolve("b/c")))
                .isEqualTo(ORPHAN);
        assertThat(paths.volume(ORPHAN)).contains(KEY);
        assertThat(paths.volume(Path.of("/base/staging/ns/v/mount-1/below"))).contains(KEY);
        assertThat(paths.volume(Path.of("/base/staging/ns/v"))).isEmpty();
        assertThat(paths.volume(Path.of("/base/ledger/ns/v/a"))).isEmpty();
        assertThat(paths.volume(Path.of("/base/publish/NS/v/a"))).isEmpty();
        assertThat(paths.volume(Path.of("/base/publish/ns/V/a"))).isEmpty();
    }
}
