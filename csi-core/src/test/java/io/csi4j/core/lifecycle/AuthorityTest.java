package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.PLUGIN;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.MountOptions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who speaks for a node, and who may submit a workload. */
class AuthorityTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final NodeId N1 = NodeId.of("n1");
    private static final Namespace DEFAULT = Namespace.of("default");
    private static final List<VolumeRequest> VOLUMES =
            List.of(new VolumeRequest("vol", false, SINGLE, MountOptions.none(), false));

    @Test
    void mountPermissionDoesNotAllowNodeReports() {
        LifecycleRig rig = LifecycleRig.guarded().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.calls().clear();
        rig.grant("default", Permission.VOLUME_MOUNT).grant(Permission.PLUGIN_READ);
        CallerOperations tenant = rig.as("tenant");
        assertThat(rig.failed(tenant.claims().nodeReleased(VOL, N1, A), AccessDeniedException.class))
                .hasMessageContaining("NODE_REPORT");
        assertThat(rig.get(VOL).claims().get(A).orElseThrow().state()).isEqualTo(ClaimState.TAKEN);
        assertThat(rig.gateway.calls()).isEmpty();
        rig.done(tenant.claims().release(VOL, A));
        assertThat(rig.calls()).containsExactly("NODE_UNPUBLISH_VOLUME@n1", "CONTROLLER_UNPUBLISH_VOLUME");
    }

    @Test
    void nodeReportPermissionAllowsOnlyNodeReports() {
        LifecycleRig rig = LifecycleRig.guarded().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.calls().clear();
        rig.grant(Permission.NODE_REPORT);
        CallerOperations agent = rig.as("agent");
        rig.failed(agent.claims().release(VOL, A), AccessDeniedException.class);
        rig.failed(agent.operator().detach(VOL, N1), AccessDeniedException.class);
        rig.done(agent.claims().nodeReleased(VOL, NodeId.of("n2"), A));
        assertThat(rig.get(VOL).inUse())
                .as("a report for n2 does not release the claim on n1")
                .isTrue();
        rig.done(agent.claims().nodeReleased(VOL, N1, A));
        assertThat(rig.calls()).containsExactly("CONTROLLER_UNPUBLISH_VOLUME");
        assertThat(rig.get(VOL).inUse()).isFalse();
    }

    @Test
    void permissionCheckReturnsAllMissingPermissions() {
        LifecycleRig rig = LifecycleRig.guarded();
        CallerOperations submitter = rig.as("submitter");
        int commands = rig.log.commands.size();
        assertThat(missing(rig, submitter, VOLUMES, Set.of(PLUGIN)))
                .containsExactly(
                        Access.in(DEFAULT, Permission.VOLUME_MOUNT),
                        Access.of(Permission.PLUGIN_READ),
                        Access.of(Permission.PLUGIN_DEPLOY));
        rig.grant("other", Permission.VOLUME_MOUNT).grant(Permission.PLUGIN_READ);
        assertThat(missing(rig, submitter, VOLUMES, Set.of()))
                .containsExactly(Access.in(DEFAULT, Permission.VOLUME_MOUNT));
        rig.grant("default", Permission.VOLUME_MOUNT);
        assertThat(missing(rig, submitter, VOLUMES, Set.of())).isEmpty();
        assertThat(missing(rig, submitter, VOLUMES, Set.of(PLUGIN)))
                .containsExactly(Access.of(Permission.PLUGIN_DEPLOY));
        rig.grant(Permission.PLUGIN_DEPLOY);
        assertThat(missing(rig, submitter, VOLUMES, Set.of(PLUGIN))).isEmpty();
        assertThat(rig.log.commands).hasSize(commands);
    }

    @Test
    void workloadWithoutVolumesAndPluginsNeedsNoPermission() {
        LifecycleRig rig = LifecycleRig.guarded();
        assertThat(missing(rig, rig.as("anybody"), List.of(), Set.of())).isEmpty();
        assertThat(missing(rig, rig.as("anybody"), List.of(), Set.of(PLUGIN)))
                .containsExactly(Access.of(Permission.PLUGIN_DEPLOY));
        assertThat(missing(rig, rig.host, VOLUMES, Set.of(PLUGIN))).isEmpty();
    }

    private static List<Access> missing(
            LifecycleRig rig, CallerOperations submitter, List<VolumeRequest> requests, Set<PluginId> deploys) {
        return rig.done(submitter.claims().missingAuthority(DEFAULT, requests, deploys));
    }
}
