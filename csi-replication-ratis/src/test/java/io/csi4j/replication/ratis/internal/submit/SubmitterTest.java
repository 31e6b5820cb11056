package io.csi4j.replication.ratis.internal.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.Environment;
import io.csi4j.replication.ratis.RatisLogOptions;
import io.csi4j.replication.ratis.internal.machine.EntryRefusedException;
import io.csi4j.replication.ratis.internal.machine.LogEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class SubmitterTest {
    private static final Outcome DONE = new Outcome.Accepted(true, List.of());
    private static final ByteString COMMAND = ByteString.copyFromUtf8("command");

    private final Environment environment = Environment.system();
    private final AppliedIndex applied = new AppliedIndex();
    private final List<LogEntry> sent = new ArrayList<>();

    @AfterEach
    void closeEnvironment() {
        environment.close();
    }

    private static final class Failures implements Submitter.Failures {
        @Override
        public RuntimeException overloaded(String pending) {
            return new IllegalStateException("overloaded: " + pending);
        }

        @Override
        public RuntimeException unanswered(@Nullable Throwable lastFailure) {
            return new IllegalStateException("unanswered", lastFailure);
        }

        @Override
        public RuntimeException refused(EntryRefusedException reason) {
            return new IllegalStateException("refused", reason);
        }
    }

    private Submitter submitter(RatisLogOptions options, Route route) {
        Route recording = entry -> {
            synchronized (sent) {
                sent.add(LogEntry.decode(entry.getContent().asReadOnlyByteBuffer()));
            }
            return route.send(entry);
        };
        return new Submitter(recording, new Failures(), applied, entry -> Optional.of(DONE), environment, options);
    }

    private static CompletableFuture<RaftClientReply> committedAt(long index) {
        return CompletableFuture.completedFuture(RaftClientReply.newBuilder()
                .setClientId(ClientId.randomId())
                .setServerId(RaftPeerId.valueOf("a"))
                .setGroupId(RaftGroupId.randomId())
                .setLogIndex(index)
                .setSuccess()
                .setMessage(Message.EMPTY)
                .build());
    }

    @Test
    void commandThatTheLeaderRefusesFailsAtOnce() {
        StateMachineException refusal = new StateMachineException(
                RaftGroupMemberId.valueOf(RaftPeerId.valueOf("a"), RaftGroupId.randomId()),
                new EntryRefusedException("unreadable"));
        Submitter submitter = submitter(
                RatisLogOptions.ofDefaults(),
                entry -> CompletableFuture.completedFuture(RaftClientReply.newBuilder()
                        .setClientId(ClientId.randomId())
                        .setServerId(RaftPeerId.valueOf("a"))
                        .setGroupId(RaftGroupId.randomId())
                        .setException(refusal)
                        .build()));
        assertThatThrownBy(
                        () -> submitter.submit(LogEntry.Kind.COMMAND, COMMAND).join())
                .rootCause()
                .hasMessage("unreadable");
        assertThat(sent).hasSize(1);
    }

    @Test
    void commandIsAnsweredOnlyAfterThisPeerHasAppliedIt() {
        Submitter submitter = submitter(RatisLogOptions.ofDefaults(), entry -> committedAt(7));
        applied.advance(6);
        CompletableFuture<Optional<Outcome>> outcome = submitter.submit(LogEntry.Kind.COMMAND, COMMAND);
        assertThat(outcome).isNotDone();
        applied.advance(7);
        assertThat(outcome.join()).contains(DONE);
    }

    @Test
    void commandWithLostAnswerIsResubmittedWithSameNumber() {
        applied.advance(1);
        Submitter submitter = submitter(
                RatisLogOptions.ofDefaults(),
                entry -> sent.size() < 3
                        ? CompletableFuture.failedFuture(new TimeoutException("lost"))
                        : committedAt(1));
        assertThat(submitter.submit(LogEntry.Kind.COMMAND, COMMAND).join()).contains(DONE);
        assertThat(sent).hasSize(3);
        assertThat(sent).extracting(LogEntry::number).containsOnly(1L);
    }

    @Test
    void unansweredCommandFailsAtTimeoutWithErrorOfLastAttempt() {
        RatisLogOptions options =
                RatisLogOptions.builder().submitTimeout(Duration.ofMillis(200)).build();
        Submitter submitter = submitter(options, entry -> CompletableFuture.failedFuture(new TimeoutException("lost")));
        assertThatThrownBy(
                        () -> submitter.submit(LogEntry.Kind.COMMAND, COMMAND).join())
                .hasRootCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("unanswered");
    }

    @Test
    void commandsBeyondPendingBytesLimitAreRejectedUntilPendingCommandsEnd() {
        applied.advance(1);
        RatisLogOptions options =
                RatisLogOptions.builder().pendingBytes(2L * COMMAND.size()).build();
        List<CompletableFuture<RaftClientReply>> replies = new ArrayList<>();
        Submitter submitter = submitter(options, entry -> {
            CompletableFuture<RaftClientReply> reply = new CompletableFuture<>();
            replies.add(reply);
            return reply;
        });
        CompletableFuture<Optional<Outcome>> first = submitter.submit(LogEntry.Kind.COMMAND, COMMAND);
        var unused = submitter.submit(LogEntry.Kind.COMMAND, COMMAND);
        assertThatThrownBy(
                        () -> submitter.submit(LogEntry.Kind.COMMAND, COMMAND).join())
                .hasMessageContaining("overloaded: 2 of 4096 commands, 14 of 14 bytes");
        replies.get(0).complete(committedAt(1).join());
        first.join();
        assertThat(submitter.submit(LogEntry.Kind.COMMAND, COMMAND)).isNotDone();
    }

    @Test
    void limitIsFreeAgainWhenOutcomeIsSeen() {
        applied.advance(1);
        RatisLogOptions options =
                RatisLogOptions.builder().pendingBytes(COMMAND.size()).build();
        CompletableFuture<RaftClientReply> reply = new CompletableFuture<>();
        Submitter submitter = submitter(options, entry -> reply);
        CompletableFuture<Optional<Outcome>> next = submitter
                .submit(LogEntry.Kind.COMMAND, COMMAND)
                .thenCompose(outcome -> submitter.submit(LogEntry.Kind.COMMAND, COMMAND));
        reply.complete(committedAt(1).join());
        assertThat(next.join()).contains(DONE);
    }

    @Test
    void cancelledCommandFreesLimit() {
        RatisLogOptions options =
                RatisLogOptions.builder().pendingBytes(COMMAND.size()).build();
        Submitter submitter = submitter(options, entry -> new CompletableFuture<>());
        assertThat(submitter.submit(LogEntry.Kind.COMMAND, COMMAND).cancel(false))
                .isTrue();
        assertThat(submitter.submit(LogEntry.Kind.COMMAND, COMMAND)).isNotDone();
    }

    @Test
    void pendingAndLaterCommandsFailWhenSubmitterEnds() {
        Submitter submitter = submitter(RatisLogOptions.ofDefaults(), entry -> new CompletableFuture<>());
        CompletableFuture<Optional<Outcome>> pending = submitter.submit(LogEntry.Kind.COMMAND, COMMAND);
        submitter.end(new IllegalStateException("pending"), new IllegalStateException("later"));
        assertThatThrownBy(pending::join).hasMessageContaining("pending");
        assertThatThrownBy(
                        () -> submitter.submit(LogEntry.Kind.COMMAND, COMMAND).join())
                .hasMessageContaining("later");
    }

    @Test
    void eachEntryAcknowledgesAnswersToEarlierEntries() {
        applied.advance(1);
        Submitter submitter = submitter(RatisLogOptions.ofDefaults(), entry -> committedAt(1));
        submitter.submit(LogEntry.Kind.COMMAND, COMMAND).join();
        submitter.submit(LogEntry.Kind.COMMAND, COMMAND).join();
        assertThat(sent).extracting(LogEntry::answered).containsExactly(1L, 2L);
    }
}
