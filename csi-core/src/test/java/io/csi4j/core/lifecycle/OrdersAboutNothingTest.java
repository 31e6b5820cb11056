package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An operator names what does not exist: the order fails with the problem and the way out, and changes nothing. */
class OrdersAboutNothingTest {
    private final LifecycleRig rig = LifecycleRig.leading();
    private final OperatorActions operator = rig.host.operator();

    private void refused(CompletableFuture<?> order, String... texts) {
        int before = rig.log.commands.size();
        assertThat(rig.failed(order, CsiRequestException.class)).hasMessageContainingAll(texts);
        assertThat(rig.log.commands).hasSize(before);
    }

    @Test
    void overrideOfALeftoverThatIsNoneIsRefused() {
        Leftover.Key key = new Leftover.Key(Rig.PLUGIN, ExternalVolumeId.of("ext"));
        refused(
                operator.overrideLeftover(key, "the node is gone"),
                "names volume ext of plugin p, of which nothing is left",
                "look at the claims");
        assertThat(rig.done(operator.leftovers())).isEmpty();
    }

    @Test
    void removalOfAWithdrawnCreationThatIsNoneIsRefused() {
        WithdrawnCreation.Key key = new WithdrawnCreation.Key(Rig.PLUGIN, "vol-1");
        refused(
                operator.forgetWithdrawnCreation(key, "the provider has none"),
                "is name vol-1 of plugin p, and no withdrawn creation has it",
                "list the withdrawn creations");
        assertThat(rig.done(operator.withdrawnCreations())).isEmpty();
    }

    @Test
    void driverOfAPluginThatNeverReportedCannotBeStated() {
        refused(
                operator.setProvider(PluginId.of("none"), "csi.example.com", "it moved"),
                "is none, of which no instance has reported",
                "correct the id");
    }
}
