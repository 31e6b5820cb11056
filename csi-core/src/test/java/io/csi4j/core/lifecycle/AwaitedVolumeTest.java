package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SHARED;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A claim that waits for a publish call watches no rows: the worker of the volume checks it. */
class AwaitedVolumeTest {
    /** A log that does not know which volumes have changed. */
    private record ForgetfulLog(CommandLog log) implements CommandLog, ObservableState {
        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            return log.submit(command);
        }

        @Override
        public ObservableState state() {
            return this;
        }

        @Override
        public StateReader snapshot() {
            return log.state().snapshot();
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            return log.state().newerThan(scope, index);
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            return log.state().subscribe(scope, index, listener);
        }
    }

    private static void publishOfFormerLeaderEndsWait(UnaryOperator<CommandLog> decorator) {
        LifecycleRig rig = LifecycleRig.leading(decorator).volume(VOL);
        rig.gateway.leaveOpen();
        int watches = rig.log.watches();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", SHARED);
        assertThat(rig.log.watches()).isEqualTo(watches);
        for (String node : List.of("n1", "n2")) {
            rig.fingerprint(rig.instance(node).health(false, "gone").build());
        }
        rig.gateway.only().fail(StatusCode.UNAVAILABLE);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(grant).isNotDone();
        assertThat(rig.workers())
                .as("a volume that waits for its plugin has no worker")
                .isZero();
        // A former leader stores the result of its call now; this engine has not submitted the command.
        NodeId node = NodeId.of("n1");
        rig.ok(new AttachmentCommand.RecordPublished(
                VOL,
                node,
                rig.get(VOL).attachments().on(node).orElseThrow().createIndex(),
                PublishContext.empty(),
                rig.now()));
        rig.run();
        assertThat(rig.done(grant).volumes()).hasSize(1);
    }

    @Test
    void claimIsGrantedWhenFormerLeaderPublishesAndNoWorkerExists() {
        publishOfFormerLeaderEndsWait(log -> log);
    }

    @Test
    void claimIsGrantedWhenFormerLeaderPublishesAndLogReportsOnlyThatSomethingChanged() {
        publishOfFormerLeaderEndsWait(ForgetfulLog::new);
    }
}
