package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.PluginCalls;
import io.csi4j.core.spi.NodeDetached;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An agent that answers nothing holds its own share of calls, until their time is up; everybody else goes on. */
class HungAgentTest {
    private static final NodeId HUNG = NodeId.of("n1");
    private static final NodeId WELL = NodeId.of("n2");
    private static final int CALLS = 40;

    private final VolumeRig rig = VolumeRig.started();
    private final AtomicInteger sentToHung = new AtomicInteger();
    private PluginCalls calls;

    private void engine() {
        rig.options =
                LifecycleOptions.builder().callsPerNode(6).callsInFlight(6).build();
        calls = rig.engine().engine().operations().calls();
    }

    private CompletableFuture<NodeDetached> detach(NodeId nodeId, CompletableFuture<NodeDetached> answer) {
        return calls.node(CallSubject.of(Rpc.NODE_UNPUBLISH_VOLUME, VolumeRig.PLUGIN, VolumeRig.VOL, 1), nodeId, () -> {
            if (nodeId.equals(HUNG)) {
                sentToHung.incrementAndGet();
            }
            return answer;
        });
    }

    @Test
    void hungAgentDoesNotBlockOtherNodes() {
        engine();
        List<CompletableFuture<NodeDetached>> hung = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            hung.add(detach(HUNG, new CompletableFuture<>()));
        }
        rig.clock.run();
        assertThat(sentToHung).as("one permit is reserved for each other kind").hasValue(4);
        for (int i = 0; i < CALLS; i++) {
            rig.done(detach(WELL, CompletableFuture.completedFuture(NodeDetached.othersUnknown())));
        }
        CompletableFuture<Void> query = calls.node(
                CallSubject.of(Rpc.NODE_GET_VOLUME_STATS, VolumeRig.PLUGIN, VolumeRig.VOL, 1),
                HUNG,
                () -> CompletableFuture.completedFuture(null));
        rig.done(query);
        rig.done(calls.controller(
                CallSubject.of(Rpc.DELETE_VOLUME, VolumeRig.PLUGIN, VolumeRig.VOL, 1),
                controller -> CompletableFuture.completedFuture(null)));
        assertThat(hung).noneMatch(CompletableFuture::isDone);
        assertThat(sentToHung).hasValue(4);
    }

    @Test
    void unmountWithoutAnswerOfTheNodeIsNoSuccess() {
        engine();
        Throwable failure = rig.failed(detach(WELL, CompletableFuture.completedFuture(null)), RuntimeException.class);
        assertThat(failure).hasMessage("the host's NodeGateway for NodeUnpublishVolume answered null; mend it");
    }

    @Test
    void waitingCallsBeginWhenHungCallsTimeOut() {
        engine();
        List<CompletableFuture<NodeDetached>> hung = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            hung.add(detach(HUNG, new CompletableFuture<>()));
        }
        rig.clock.advance(rig.options.callTimeout());
        assertThat(sentToHung).hasValue(8);
        assertThat(hung.stream().filter(CompletableFuture::isDone)).hasSize(4);
        assertThat(rig.failed(hung.get(0), CsiCallException.class).code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        rig.clock.advance(rig.options.callTimeout().multipliedBy(CALLS));
        assertThat(hung).allMatch(CompletableFuture::isDone);
        rig.done(detach(HUNG, CompletableFuture.completedFuture(NodeDetached.othersUnknown())));
    }
}
