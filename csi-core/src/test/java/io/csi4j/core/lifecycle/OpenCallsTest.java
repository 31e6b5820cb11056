package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenCallsTest {
    private static final VolumeKey OTHER = VolumeKey.of("other", "w");

    private static LifecycleRig rigWithTwoCreations(LifecycleRig rig) {
        rig.gateway.script = call -> false;
        var first = rig.host.volumes().create(VOL, LifecycleRig.newSpec().build());
        rig.clock.advance(Duration.ofSeconds(1));
        var second = rig.host.volumes().create(OTHER, LifecycleRig.newSpec().build());
        rig.clock.run();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        return rig;
    }

    /** Returns a rig with one call in flight and one that waits for it. */
    private static LifecycleRig oneCallAtATime() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.calls(CallSettings.builder().callsInFlight(1));
        return rigWithTwoCreations(rig);
    }

    @Test
    void raisedLimitOfThePluginAdmitsTheCallThatWaits() {
        LifecycleRig rig = oneCallAtATime();
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(1);
        rig.calls(CallSettings.builder().callsInFlight(9));
        rig.run();
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(2);
    }

    @Test
    void callsInFlightAndWaitingAreListedOldestFirst() {
        LifecycleRig rig = oneCallAtATime();
        rig.clock.advance(Duration.ofSeconds(4));
        List<PluginCall> calls =
                rig.done(rig.host.operator().calls(CallQuery.all())).items();
        assertThat(calls).hasSize(2);
        PluginCall sent = calls.get(0);
        assertThat(sent.rpc()).isEqualTo(Rpc.CREATE_VOLUME);
        assertThat(sent.volume()).contains(VOL);
        assertThat(sent.inFlight()).isTrue();
        assertThat(sent.nodeId()).isPresent();
        assertThat(sent.age(rig.now())).isEqualTo(Duration.ofSeconds(5));
        PluginCall waiting = calls.get(1);
        assertThat(waiting.volume()).contains(OTHER);
        assertThat(waiting.inFlight()).isFalse();
        assertThat(waiting.nodeId()).isEmpty();
        assertThat(waiting.age(rig.now())).isEqualTo(Duration.ofSeconds(4));
        assertThat(waiting.age(rig.now().minusSeconds(60))).isEqualTo(Duration.ZERO);
    }

    @Test
    void finishedCallsAreNotListed() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        rig.done(rig.host.claims().release(VOL, io.csi4j.core.id.AllocationId.of("a")));
        assertThat(rig.gateway.calls()).isNotEmpty();
        assertThat(rig.done(rig.host.operator().calls(CallQuery.all())).items()).isEmpty();
    }

    @Test
    void listHidesVolumesOfUnreadableNamespaces() {
        LifecycleRig rig = rigWithTwoCreations(LifecycleRig.guarded());
        rig.failed(rig.as("eve").operator().calls(CallQuery.all()), AccessDeniedException.class);
        rig.grant(Permission.PLUGIN_READ).grant("other", Permission.VOLUME_READ);
        assertThat(rig.done(rig.as("eve").operator().calls(CallQuery.all())).items())
                .extracting(call -> call.volume().map(VolumeKey::toString).orElse("hidden"))
                .containsExactly("hidden", "other/w");
    }
}
