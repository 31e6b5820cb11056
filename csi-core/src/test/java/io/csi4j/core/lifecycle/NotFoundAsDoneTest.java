package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.Rig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.volume.AttachmentState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A provider that has deleted the machine or the volume, and answers NOT_FOUND for ever. */
class NotFoundAsDoneTest {
    private static LifecycleRig rig(CallRules rules) {
        LifecycleRig rig = LifecycleRig.leading();
        rig.calls(CallSettings.builder().callsPerVolume(2).rules(rules));
        for (int i = 0; i < 200; i++) {
            rig.gateway.fail(Rpc.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.NOT_FOUND);
            rig.gateway.fail(Rpc.DELETE_VOLUME, StatusCode.NOT_FOUND);
        }
        return rig;
    }

    private static void endOfClaim(LifecycleRig rig) {
        rig.volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.provider.mounted.clear();
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.clock.advance(Duration.ofHours(1));
    }

    @Test
    void notFoundOfUnpublishIsRetriedByDefault() {
        LifecycleRig rig = rig(CallRules.defaults());
        endOfClaim(rig);
        assertThat(rig.get(VOL).attachments().iterator().next().state()).isEqualTo(AttachmentState.UNPUBLISHING);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).hasSizeGreaterThan(2);
    }

    @Test
    void notFoundOfUnpublishEndsTheReleaseIfTheRuleSaysSo() {
        LifecycleRig rig = rig(CallRules.defaults().withNotFoundAsDone());
        endOfClaim(rig);
        assertThat(rig.get(VOL).inUse()).isFalse();
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).hasSize(1);
    }

    @Test
    void notFoundOfDeleteRemovesTheVolumeIfTheRuleSaysSo() {
        LifecycleRig rig = rig(CallRules.defaults().withNotFoundAsDone());
        rig.done(rig.host.volumes().create(VOL, LifecycleRig.newSpec().build()));
        rig.done(rig.host.volumes().delete(VOL));
        assertThat(rig.log.snapshot().volume(VOL)).isEmpty();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
    }

    @Test
    void otherFailuresOfUnpublishAreRetriedUnderTheRuleToo() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.calls(CallSettings.builder().rules(CallRules.defaults().withNotFoundAsDone()));
        rig.gateway.fail(Rpc.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.PERMISSION_DENIED);
        endOfClaim(rig);
        assertThat(rig.get(VOL).inUse()).isFalse();
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).hasSize(2);
    }
}
