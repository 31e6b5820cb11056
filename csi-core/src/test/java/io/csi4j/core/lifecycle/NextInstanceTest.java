package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRule;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.plugin.CallSettings;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which failure of which RPC has another instance asked: all of them, one by one. The rig has two instances. */
class NextInstanceTest {
    /** A fault of the instance, or of the way to it. */
    private static final Set<StatusCode> INSTANCE =
            EnumSet.of(StatusCode.UNAVAILABLE, StatusCode.UNKNOWN, StatusCode.INTERNAL);

    private final VolumeRig rig = VolumeRig.started();

    private int asked(Rpc rpc, StatusCode code) {
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<?> answer = rig.engine()
                .engine()
                .operations()
                .calls()
                .controller(CallSubject.of(rpc, VolumeRig.PLUGIN, VolumeRig.VOL, 1), controller -> {
                    asked.incrementAndGet();
                    return CompletableFuture.failedFuture(new CsiCallException(
                            rpc, "p", null, code, CallOutcome.of(rpc, code, false), "planned", null));
                });
        assertThat(rig.failed(answer, CsiCallException.class).code()).isEqualTo(code);
        return asked.get();
    }

    @Test
    void nextControllerInstanceIsCalledOnlyAfterStatusCodesThatCallRulesAllow() {
        for (Rpc rpc : Rpc.values()) {
            if (rpc.service() != RpcService.CONTROLLER && rpc.service() != RpcService.GROUP_CONTROLLER) {
                continue;
            }
            boolean watched = rpc == Rpc.CONTROLLER_GET_CAPABILITIES || rpc == Rpc.GROUP_CONTROLLER_GET_CAPABILITIES;
            for (StatusCode code : EnumSet.complementOf(EnumSet.of(StatusCode.OK))) {
                int instances = INSTANCE.contains(code) && !watched ? 2 : 1;
                assertThat(asked(rpc, code))
                        .as("%s after %s: number of instances called", rpc, code)
                        .isEqualTo(instances);
                assertThat(CallRules.defaults().nextInstance(rpc, code)).isEqualTo(instances == 2);
            }
        }
    }

    @Test
    void nextInstanceIsCalledOnlyAfterFirstInstanceHasFailed() {
        List<CompletableFuture<Object>> asked = new ArrayList<>();
        CompletableFuture<?> answer = rig.engine()
                .engine()
                .operations()
                .calls()
                .controller(CallSubject.of(Rpc.CONTROLLER_UNPUBLISH_VOLUME, Rig.PLUGIN, Rig.VOL, 1), controller -> {
                    CompletableFuture<Object> open = new CompletableFuture<>();
                    asked.add(open);
                    return open;
                });
        rig.clock.run();
        assertThat(asked).hasSize(1);
        asked.get(0)
                .completeExceptionally(new CsiCallException(
                        Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                        "p",
                        null,
                        StatusCode.UNAVAILABLE,
                        CallOutcome.OUTCOME_UNKNOWN,
                        "planned",
                        null));
        rig.clock.run();
        assertThat(asked).hasSize(2);
        asked.get(1).complete("done");
        assertThat(rig.<Object>done(answer.thenApply(reported -> reported))).isEqualTo("done");
        assertThat(asked).hasSize(2);
    }

    @Test
    void callThatIsNotSentToNextInstanceEndsWithTheUnknownOutcomeOfTheFirst() {
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<?> answer = rig.engine()
                .engine()
                .operations()
                .calls()
                .controller(CallSubject.of(Rpc.CREATE_VOLUME, Rig.PLUGIN, Rig.VOL, 1), controller -> {
                    if (asked.incrementAndGet() > 1) {
                        // The row changed while the first instance had the call.
                        throw new OvertakenException(Rig.VOL);
                    }
                    return CompletableFuture.failedFuture(new CsiCallException(
                            Rpc.CREATE_VOLUME,
                            "p",
                            null,
                            StatusCode.INTERNAL,
                            CallOutcome.OUTCOME_UNKNOWN,
                            "planned",
                            null));
                });
        CsiCallException failure = rig.failed(answer, CsiCallException.class);
        assertThat(asked).hasValue(2);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(Failures.changedNothing(failure)).as("the volume may exist").isFalse();
    }

    @Test
    void callRulesConfiguredForPluginDetermineWhetherNextInstanceIsCalled() {
        CallRules rules = CallRules.defaults()
                .with(
                        Rpc.DELETE_VOLUME,
                        StatusCode.UNAVAILABLE,
                        CallRule.never(CallOutcome.OUTCOME_UNKNOWN, "all its instances are one"))
                .with(
                        Rpc.DELETE_VOLUME,
                        StatusCode.ABORTED,
                        CallRule.elsewhere(CallOutcome.RETRY_AFTER_CAUSE, "this instance is not the leader"));
        rig.calls(CallSettings.builder().rules(rules));
        assertThat(asked(Rpc.DELETE_VOLUME, StatusCode.UNAVAILABLE)).isEqualTo(1);
        assertThat(asked(Rpc.DELETE_VOLUME, StatusCode.ABORTED)).isEqualTo(2);
        assertThat(asked(Rpc.CREATE_VOLUME, StatusCode.UNAVAILABLE)).isEqualTo(2);
        assertThat(asked(Rpc.CREATE_VOLUME, StatusCode.ABORTED)).isEqualTo(1);
    }
}
