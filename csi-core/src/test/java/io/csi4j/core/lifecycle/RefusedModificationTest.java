package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A refusal says that this call changed nothing. Earlier calls for the same modification may have made it. */
class RefusedModificationTest {
    private static final Map<String, String> GOLD = Map.of("tier", "gold");
    private static final Duration LONG = Duration.ofHours(6);

    private final LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);

    private Volume volume() {
        return rig.get(LifecycleRig.VOL);
    }

    private int calls() {
        return rig.gateway.requests(Rpc.CONTROLLER_MODIFY_VOLUME).size();
    }

    private VolumeLifecycle another(HandGateway gateway) {
        VolumeLifecycle other = VolumeLifecycle.builder()
                .log(rig.log)
                .gateway(gateway)
                .environment(rig.clock.environment(new Random(6)))
                .callbackExecutor(rig.clock)
                .build();
        other.startLeading();
        return other;
    }

    @Test
    void reservedParameterIsRefusedBeforeItIsStored() {
        Map<String, String> reserved = Map.of(VolumeClass.RESERVED_PREFIX + "x", "1");
        assertThat(rig.failed(rig.host.volumes().modify(LifecycleRig.VOL, reserved), CsiRequestException.class))
                .hasMessageContaining("mutableParameters");
        assertThat(volume().modification()).isEmpty();
        assertThat(calls()).isZero();
    }

    @Test
    void refusedModificationIsNotRetriedIfNoOtherServerSentTheSameCall() {
        rig.gateway.fail(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.INVALID_ARGUMENT);
        rig.failed(rig.host.volumes().modify(LifecycleRig.VOL, GOLD), CsiCallException.class);
        rig.clock.advance(LONG);
        assertThat(calls()).isEqualTo(1);
        assertThat(volume().unsettled()).isFalse();
        assertThat(volume().modification().orElseThrow().retry().refused()).isTrue();
        assertThat(volume().spec().mutableParameters()).isEmpty();
        rig.done(rig.host.volumes().modify(LifecycleRig.VOL, Map.of("iops", "1")));
        assertThat(volume().spec().mutableParameters())
                .as("the refused parameters are dropped")
                .isEqualTo(Map.of("iops", "1"));
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"})
    void modificationIsRetriedIfRefusalFollowsFailureAfterModification(StatusCode code) {
        rig.gateway
                .lose(Rpc.CONTROLLER_MODIFY_VOLUME, code)
                .fail(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.INVALID_ARGUMENT);
        CompletableFuture<Volume> asked = rig.host.volumes().modify(LifecycleRig.VOL, GOLD);
        rig.clock.advance(LONG);
        assertThat(asked).as("the request completes").isDone();
        assertThat(volume().modification()).isEmpty();
        assertThat(volume().spec().mutableParameters()).isEqualTo(GOLD);
        assertThat(calls()).isEqualTo(3);
    }

    @Test
    void modificationIsRetriedIfOtherServerPossiblySentTheCall() {
        CompletableFuture<Object> never = new CompletableFuture<>();
        rig.gateway.plan(Rpc.CONTROLLER_MODIFY_VOLUME, call -> never);
        CompletableFuture<Volume> asked = rig.host.volumes().modify(LifecycleRig.VOL, GOLD);
        rig.clock.run();
        rig.host.stopLeading();
        HandGateway gateway = new HandGateway(new FakeProvider());
        gateway.fail(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.INVALID_ARGUMENT);
        VolumeLifecycle other = another(gateway);
        rig.clock.run();
        assertThat(gateway.requests(Rpc.CONTROLLER_MODIFY_VOLUME)).hasSize(1);
        assertThat(volume().unsettled()).isTrue();
        rig.clock.advance(LONG);
        assertThat(volume().spec().mutableParameters()).isEqualTo(GOLD);
        assertThat(asked).as("the request completes").isDone();
        other.stopLeading();
    }

    @Test
    void formerLeaderDoesNotStoreRefusal() {
        CompletableFuture<Object> first = new CompletableFuture<>();
        rig.gateway.plan(Rpc.CONTROLLER_MODIFY_VOLUME, call -> first);
        var unused = rig.host.volumes().modify(LifecycleRig.VOL, GOLD);
        rig.clock.run();
        CompletableFuture<Object> second = new CompletableFuture<>();
        HandGateway gateway = new HandGateway(new FakeProvider());
        gateway.plan(Rpc.CONTROLLER_MODIFY_VOLUME, call -> second);
        VolumeLifecycle other = another(gateway);
        rig.clock.run();
        assertThat(gateway.requests(Rpc.CONTROLLER_MODIFY_VOLUME))
                .as("the second leader calls the plugin too")
                .hasSize(1);
        rig.host.stopLeading();
        first.completeExceptionally(HandGateway.failure(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.INVALID_ARGUMENT));
        rig.clock.run();
        assertThat(volume().modification().filter(request -> request.retry().refused()))
                .isEmpty();
        second.completeExceptionally(HandGateway.failure(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.INVALID_ARGUMENT));
        rig.clock.advance(LONG);
        assertThat(volume().spec().mutableParameters()).isEqualTo(GOLD);
        other.stopLeading();
    }

    @Test
    void refusedModificationIsNotRetriedAfterEarlierModificationSucceeded() {
        CompletableFuture<Object> first = new CompletableFuture<>();
        rig.gateway.plan(Rpc.CONTROLLER_MODIFY_VOLUME, call -> first);
        CompletableFuture<Volume> gold = rig.host.volumes().modify(LifecycleRig.VOL, GOLD);
        rig.clock.run();
        CompletableFuture<Volume> iops = rig.host.volumes().modify(LifecycleRig.VOL, Map.of("iops", "-1"));
        rig.clock.run();
        rig.gateway.fail(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.INVALID_ARGUMENT);
        first.complete(null);
        assertThat(rig.done(gold).spec().mutableParameters()).isEqualTo(GOLD);
        rig.clock.advance(LONG);
        assertThat(iops).isCompletedExceptionally();
        assertThat(volume().unsettled()).isFalse();
        assertThat(calls()).isEqualTo(2);
    }
}
