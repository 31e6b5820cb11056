package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.spi.SecretsProvider;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each call has the secrets that were given for it, and not those for another one. */
class SecretsOfCallsTest {
    private final SecretsProvider each = query -> CompletableFuture.completedFuture(Optional.of(secret(query.rpc())));

    private static Secrets secret(Rpc rpc) {
        return Secrets.of(Map.of("for", rpc.name()));
    }

    /** The secrets of a request, of whatever type it is. */
    private static Secrets sent(Object request) {
        try {
            Method secrets = request.getClass().getMethod("secrets");
            return (Secrets) secrets.invoke(request);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(request + " has no secrets", e);
        }
    }

    @Test
    void grantHasSeparateSecretsForStagingAndPublishing() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", AccessMode.SINGLE_NODE_WRITER);
        rig.secrets = each;
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", ClaimRig.write("v", AccessMode.SINGLE_NODE_WRITER));
        VolumeGrant volume = rig.done(grant).volumes().get(0);
        assertThat(volume.stageSecrets()).isEqualTo(secret(Rpc.NODE_STAGE_VOLUME));
        assertThat(volume.publishSecrets()).isEqualTo(secret(Rpc.NODE_PUBLISH_VOLUME));
        assertThat(sent(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME).get(0)))
                .isEqualTo(secret(Rpc.CONTROLLER_PUBLISH_VOLUME));
    }

    @ParameterizedTest
    @EnumSource(
            value = Rpc.class,
            names = {
                "CREATE_SNAPSHOT",
                "DELETE_SNAPSHOT",
                "LIST_SNAPSHOTS",
                "GET_SNAPSHOT",
                "CREATE_VOLUME_GROUP_SNAPSHOT",
                "GET_VOLUME_GROUP_SNAPSHOT",
                "DELETE_VOLUME_GROUP_SNAPSHOT",
                "CONTROLLER_GET_VOLUME_HEALTH",
                "CONTROLLER_LIST_VOLUME_HEALTH"
            })
    void requestHasTheSecretsForItsCall(Rpc rpc) {
        VolumeRig rig = VolumeRig.started();
        rig.secrets = each;
        rig.made();
        VolumeLifecycle engine = rig.engine();
        // What is answered is of no account here, only what is sent.
        SnapshotId snapshot = SnapshotId.of("s1");
        GroupSnapshotId group = GroupSnapshotId.of("g1");
        if (rpc == Rpc.DELETE_VOLUME_GROUP_SNAPSHOT) {
            // One that is not there is not deleted.
            group = rig.later(engine.snapshots()
                            .createGroup(new GroupSnapshotRequest("group", List.of(VolumeRig.VOL), Map.of())))
                    .groupSnapshotId();
        }
        CompletableFuture<?> asked = switch (rpc) {
            case CREATE_SNAPSHOT -> engine.snapshots().create(SnapshotRequest.of(VolumeRig.VOL, "nightly"));
            case DELETE_SNAPSHOT -> engine.snapshots().delete(VolumeRig.PLUGIN, snapshot);
            case LIST_SNAPSHOTS -> engine.snapshots().list(VolumeRig.PLUGIN, Optional.empty(), 10, "");
            case GET_SNAPSHOT -> engine.snapshots().get(VolumeRig.PLUGIN, snapshot);
            case CREATE_VOLUME_GROUP_SNAPSHOT ->
                engine.snapshots().createGroup(new GroupSnapshotRequest("group", List.of(VolumeRig.VOL), Map.of()));
            case GET_VOLUME_GROUP_SNAPSHOT -> engine.snapshots().getGroup(VolumeRig.PLUGIN, group, List.of(snapshot));
            case DELETE_VOLUME_GROUP_SNAPSHOT ->
                engine.snapshots().deleteGroup(VolumeRig.PLUGIN, group, List.of(snapshot));
            case CONTROLLER_GET_VOLUME_HEALTH -> engine.volumes().health(VolumeRig.VOL);
            case CONTROLLER_LIST_VOLUME_HEALTH -> engine.volumes().listAbnormal(VolumeRig.PLUGIN, 10, "");
            default -> throw new AssertionError("no operation of this test calls " + rpc);
        };
        rig.clock.run();
        assertThat(rig.gateway.requests(rpc)).as("%s", asked).isNotEmpty();
        assertThat(rig.gateway.requests(rpc))
                .allSatisfy(request -> assertThat(sent(request)).isEqualTo(secret(rpc)));
    }
}
