package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.PluginCommand.FingerprintNode;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.VolumeEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PluginCallsTest {
    private final VolumeRig rig = VolumeRig.started();
    private final List<CallEvent> events = new ArrayList<>();
    private final List<VolumeEvent.Change> changes = new ArrayList<>();

    private VolumeLifecycle engine() {
        rig.listener = new EventListener() {
            @Override
            public void callFinished(CallEvent event) {
                events.add(event);
            }

            @Override
            public void volumeChanged(VolumeEvent event) {
                changes.add(event.change());
                throw new IllegalStateException("a listener that fails");
            }
        };
        return rig.engine();
    }

    private static CompletableFuture<Void> call(VolumeLifecycle engine, PluginId plugin) {
        return engine.engine()
                .operations()
                .calls()
                .controller(
                        CallSubject.of(Rpc.DELETE_VOLUME, plugin, VolumeRig.VOL, 3),
                        controller -> controller.deleteVolume(DeleteVolumeRequest.builder(ExternalVolumeId.of("x"))
                                .build()));
    }

    @Test
    void callThatFailsWithUnavailableIsRetriedOnceAtEachOtherInstance() {
        VolumeLifecycle engine = engine();
        rig.gateway.fail(Rpc.DELETE_VOLUME, StatusCode.UNAVAILABLE);
        rig.done(call(engine, VolumeRig.PLUGIN));
        assertThat(rig.gateway.calls()).extracting(made -> made.node().value()).containsExactlyInAnyOrder("n1", "n2");
        rig.gateway.calls().clear();
        rig.gateway.fail(Rpc.DELETE_VOLUME, StatusCode.UNAVAILABLE).fail(Rpc.DELETE_VOLUME, StatusCode.UNAVAILABLE);
        assertThat(rig.failed(call(engine, VolumeRig.PLUGIN), CsiCallException.class)
                        .code())
                .isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(rig.gateway.calls()).as("each instance is called once").hasSize(2);
    }

    @Test
    void failedCallFailsFutureAndFreesPermit() {
        rig.options = LifecycleOptions.builder().callsInFlight(1).build();
        VolumeLifecycle engine = engine();
        rig.gateway.plan(Rpc.DELETE_VOLUME, made -> {
            throw new IllegalStateException("broken transport");
        });
        rig.failed(call(engine, VolumeRig.PLUGIN), IllegalStateException.class);
        rig.done(call(engine, VolumeRig.PLUGIN));
        assertThat(events).extracting(CallEvent::code).containsExactly(StatusCode.UNKNOWN, StatusCode.OK);
    }

    @Test
    void hungPluginDoesNotBlockOtherPlugins() {
        PluginId other = PluginId.of("other");
        var key = new InstanceKey(NodeId.of("n1"), other, PluginType.CONTROLLER, Optional.empty());
        rig.ok(new FingerprintNode(
                NodeId.of("n1"), List.of(PluginInstance.builder(key, rig.now()).build()), rig.now()));
        VolumeLifecycle engine = engine();
        List<CompletableFuture<?>> hung = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            rig.gateway.hang(Rpc.DELETE_VOLUME);
        }
        for (int i = 0; i < 30; i++) {
            hung.add(call(engine, VolumeRig.PLUGIN));
        }
        rig.clock.run();
        assertThat(rig.gateway.calls())
                .as("the hung plugin uses only its share")
                .hasSize(8);
        rig.gateway.plan(Rpc.DELETE_VOLUME, made -> rig.provider.answer(made));
        for (int i = 0; i < 22; i++) {
            // What was planned to hang for the first plugin goes to the second; it may have that many.
            CompletableFuture<?> unused = call(engine, other);
        }
        rig.clock.run();
        assertThat(rig.gateway.calls()).as("calls of the other plugin are sent").hasSize(16);
        rig.clock.advance(rig.options.callTimeout().multipliedBy(5));
        assertThat(hung).allMatch(CompletableFuture::isDone);
    }

    private CompletableFuture<?> publish(VolumeLifecycle engine) {
        return engine.engine()
                .operations()
                .calls()
                .controller(
                        CallSubject.of(Rpc.CONTROLLER_PUBLISH_VOLUME, VolumeRig.PLUGIN, VolumeRig.VOL, 1),
                        controller -> controller.controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                        ExternalVolumeId.of("x"),
                                        ExternalNodeId.of("full"),
                                        VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                                .build()));
    }

    /** Of ten calls that hang, as many are under way as the plugin's share has places. */
    private int places(VolumeLifecycle engine) {
        int before = rig.gateway.calls().size();
        for (int i = 0; i < 10; i++) {
            rig.gateway.hang(Rpc.DELETE_VOLUME);
            CompletableFuture<?> unused = call(engine, VolumeRig.PLUGIN);
        }
        rig.clock.run();
        return rig.gateway.calls().size() - before;
    }

    @Test
    void refusalByFullNodeDoesNotLowerConcurrencyLimit() {
        VolumeLifecycle engine = engine();
        for (int i = 0; i < 5; i++) {
            rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
            rig.failed(publish(engine), CsiCallException.class);
        }
        assertThat(places(engine)).isEqualTo(8);
    }

    @Test
    void busyPluginLowersConcurrencyLimit() {
        VolumeLifecycle engine = engine();
        rig.gateway.fail(Rpc.DELETE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        rig.failed(call(engine, VolumeRig.PLUGIN), CsiCallException.class);
        assertThat(places(engine)).isLessThan(8).isPositive();
    }

    @Test
    void callEventContainsRpcPluginVolumeAttemptDurationAndTimeInQueue() {
        rig.options = LifecycleOptions.builder().callsInFlight(1).build();
        VolumeLifecycle engine = engine();
        CompletableFuture<Object> answer = new CompletableFuture<>();
        rig.gateway.plan(Rpc.DELETE_VOLUME, made -> answer);
        CompletableFuture<?> first = call(engine, VolumeRig.PLUGIN);
        CompletableFuture<?> second = call(engine, VolumeRig.PLUGIN);
        rig.clock.advance(Duration.ofSeconds(4));
        answer.complete(null);
        rig.done(first);
        rig.done(second);
        assertThat(events).hasSize(2);
        CallEvent one = events.get(0);
        assertThat(one.rpc()).isEqualTo(Rpc.DELETE_VOLUME);
        assertThat(one.pluginId()).isEqualTo(VolumeRig.PLUGIN);
        assertThat(one.volume()).contains(VolumeRig.VOL);
        assertThat(one.attempt()).isEqualTo(3);
        assertThat(one.duration()).isEqualTo(Duration.ofSeconds(4));
        assertThat(one.queueAge()).isZero();
        assertThat(events.get(1).queueAge()).isEqualTo(Duration.ofSeconds(4));
        assertThat(events.get(1).duration()).isZero();
    }

    @Test
    void everyVolumeChangeIsReportedEvenIfListenerFails() {
        VolumeLifecycle engine = engine();
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.done(engine.volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(5)));
        rig.done(engine.volumes().delete(VolumeRig.VOL));
        assertThat(changes)
                .containsExactly(
                        VolumeEvent.Change.CREATING,
                        VolumeEvent.Change.FACTS_RECORDED,
                        VolumeEvent.Change.EXPANDING,
                        VolumeEvent.Change.EXPANDED,
                        VolumeEvent.Change.DELETING,
                        VolumeEvent.Change.REMOVED);
        assertThat(events)
                .extracting(CallEvent::rpc)
                .containsExactly(Rpc.CREATE_VOLUME, Rpc.CONTROLLER_EXPAND_VOLUME, Rpc.DELETE_VOLUME);
    }
}
