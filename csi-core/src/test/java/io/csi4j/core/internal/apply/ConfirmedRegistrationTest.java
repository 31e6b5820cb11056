package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.spec;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A registration is stored only while its plugin runs the driver that has answered. */
class ConfirmedRegistrationTest {
    private final Cluster cluster = Cluster.attaching().nodes("n1");

    @Test
    void registrationIsRejectedIfAnotherDriverRunsThanTheOneThatAnswered() {
        assertThat(cluster.refused(Rejection.InvalidRequest.class, confirmedBy("other.example.com"))
                        .message())
                .contains("driver other.example.com has answered", "is driver csi.example.com now");
        cluster.ok(confirmedBy("csi.example.com"));
        cluster.fingerprint("n1");
        cluster.ok(new VolumeCommand.DeregisterVolume(vol("v"), false, AT));
        assertThat(cluster.refused(Rejection.InvalidRequest.class, confirmedBy("csi.example.com"))
                        .message())
                .contains("no instance runs now");
    }

    @Test
    void registrationIsStoredIfThePluginReportsNoDriver() {
        Cluster unnamed = Cluster.attaching();
        unnamed.ok(new NodeCommand.UpsertNode(NodeId.of("n1"), AT));
        unnamed.fingerprint("n1", unnamed.instance("n1").provider(null).build());
        unnamed.ok(confirmedBy("csi.example.com"));
    }

    private static VolumeCommand.RegisterVolume confirmedBy(String driver) {
        return new VolumeCommand.RegisterVolume(
                vol("v"),
                spec(SINGLE_NODE_WRITER).build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                AT,
                Optional.of(driver));
    }
}
