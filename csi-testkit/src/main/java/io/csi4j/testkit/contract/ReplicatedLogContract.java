package io.csi4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The contract of a {@link ReplicatedLog} as tests. A log whose servers keep their entries implements {@link
 * DurableLogContract} too.
 */
public interface ReplicatedLogContract {
    /**
     * Opens a server of the log. Each test begins with nothing stored and opens all servers, from 0 to {@link #servers} - 1;
     * later it may close a server and open it again.
     *
     * @param number the number of the server
     */
    ReplicatedLog open(int number) throws IOException;

    /** Returns the number of servers; 3. The log works while more than half of them are open. */
    default int servers() {
        return 3;
    }

    /** Returns the time after which something that has to happen counts as missing; 20 seconds. */
    default Duration patience() {
        return Duration.ofSeconds(20);
    }

    /** One server leads, all servers come to know it, and their listeners were notified of nothing else. */
    @Test
    default void oneServerLeadsAndAllServersNameIt() throws Exception {
        try (ServersUse use = ServersUse.of(this)) {
            ReplicatedLog leader = use.leader();
            use.answered(leader, 0);
            for (ReplicatedLog server : use.open()) {
                use.appliedVolume(server, 0);
                LogStatus status = use.statusThatNames(leader, server);
                assertThat(status.leaderSince())
                        .as("the time since which the leader leads")
                        .isPresent();
                assertThat(status.appliedIndex())
                        .as("the applied index, beside that of the state")
                        .isGreaterThanOrEqualTo(leader.state()
                                .snapshot()
                                .volume(LogCommands.key(0))
                                .orElseThrow()
                                .createIndex());
                assertThat(server.mayAct())
                        .as("whether the engine of server %s may act", status.self())
                        .isEqualTo(server.equals(leader));
                assertThat(status.servers())
                        .as("the servers that %s names", status.self())
                        .contains(status.self());
                assertThat(status.details().servers())
                        .as("what %s says of its own progress", status.self())
                        .filteredOn(listed -> listed.name().equals(status.self()))
                        .allSatisfy(own -> assertThat(own.appliedIndex()).hasValue(status.appliedIndex()));
                assertThat(status.details().trouble())
                        .as("the trouble of %s, which works", status.self())
                        .isEmpty();
            }
            assertThat(use.leading())
                    .as("the servers whose listener was notified")
                    .containsExactly(leader);
        }
    }

    /** A listener that comes late is notified of the present role. A removed listener is notified of nothing. */
    @Test
    default void lateListenerIsNotifiedOfPresentRole() throws Exception {
        try (ServersUse use = ServersUse.of(this)) {
            ReplicatedLog leader = use.leader();
            LeadershipRecord late = new LeadershipRecord();
            leader.onLeadership(late);
            LogUse.within("the notification of a late listener of the leader", patience(), late.started());
            LeadershipRecord removed = new LeadershipRecord();
            Runnable removal = leader.onLeadership(removed);
            LogUse.within("the notification of a listener of the leader", patience(), removed.started());
            removal.run();
            leader.close();
            use.forget(leader);
            assertThat(late.leads()).as("the listener leads after close").isFalse();
            assertThat(removed.leads())
                    .as("the removed listener was notified of nothing")
                    .isTrue();
        }
    }

    /** Commands of all servers get one order, the same at each server, and each is answered at its own server. */
    @Test
    default void commandsOfAllServersHaveOneOrder() throws Exception {
        try (ServersUse use = ServersUse.of(this)) {
            ReplicatedLog unused = use.leader();
            List<CompletableFuture<Outcome>> answers = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                answers.add(use.open().get(i % servers()).submit(LogCommands.register(i)));
            }
            for (int i = 0; i < 30; i++) {
                LogUse.within("an answer", patience(), answers.get(i));
                assertThat(use.open().get(i % servers()).state().snapshot().volume(LogCommands.key(i)))
                        .as("an answered command in the state of its server")
                        .isPresent();
            }
            List<List<Long>> orders = new ArrayList<>();
            for (ReplicatedLog server : use.open()) {
                StateReader state = LogUse.within("the complete state", patience(), server.readLinearizable());
                List<Long> indexes = new ArrayList<>();
                for (int i = 0; i < 30; i++) {
                    indexes.add(state.volume(LogCommands.key(i)).orElseThrow().createIndex());
                }
                orders.add(indexes);
            }
            assertThat(orders).as("the indexes of the commands at each server").allMatch(orders.get(0)::equals);
            assertThat(orders.get(0)).as("indexes").doesNotHaveDuplicates();
        }
    }

    /**
     * Quotas hold for the commands of all servers together, also while the limits change: each command is decided by the
     * state at its place in the one order.
     */
    @Test
    default void quotasHoldForCommandsOfAllServers() throws Exception {
        try (ServersUse use = ServersUse.of(this)) {
            ReplicatedLog unused = use.leader();
            LogUse.within("an answer", patience(), use.open().get(0).submit(LogCommands.quota(10, 1_000)));
            List<CompletableFuture<Outcome>> answers = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                ReplicatedLog server = use.open().get(i % servers());
                answers.add(server.submit(LogCommands.sized(i, 50)));
                answers.add(server.submit(LogCommands.expand(i, 150)));
                if (i % 20 == 19) {
                    answers.add(server.submit(LogCommands.quota(10 + i, 1_000 + i)));
                }
            }
            long refused = 0;
            for (CompletableFuture<Outcome> answer : answers) {
                Outcome outcome = LogUse.within("an answer", patience(), answer);
                refused += outcome instanceof Outcome.Rejected rejected
                                && rejected.reason() instanceof Rejection.QuotaExceeded
                        ? 1
                        : 0;
            }
            assertThat(refused).as("refused requests").isPositive();
            for (ReplicatedLog server : use.open()) {
                StateReader state = LogUse.within("the complete state", patience(), server.readLinearizable());
                QuotaUse counted = QuotaUse.none();
                for (int i = 0; i < 60; i++) {
                    counted =
                            state.volume(LogCommands.key(i)).map(counted::plus).orElse(counted);
                }
                QuotaKey key = QuotaKey.of(LogCommands.key(0).namespace());
                assertThat(state.quotaUse(key)).as("the use by a recount").isEqualTo(counted);
                // The greatest limits of the test, which the last change has set.
                assertThat(counted.bytes()).as("used bytes").isBetween(900L, 1_059L);
                assertThat(counted.volumes()).as("used volumes").isBetween(6L, 69L);
            }
        }
    }

    /** A linearizable read at any server shows a command that was answered at another one. */
    @Test
    default void linearizableReadShowsCommandAnsweredElsewhere() throws Exception {
        try (ServersUse use = ServersUse.of(this)) {
            ReplicatedLog unused = use.leader();
            for (int i = 0; i < 20; i++) {
                use.answered(use.open().get(i % servers()), i);
                StateReader state = LogUse.within(
                        "the complete state",
                        patience(),
                        use.open().get((i + 1) % servers()).readLinearizable());
                assertThat(state.volume(LogCommands.key(i)))
                        .as("volume %s, which another server has answered", i)
                        .isPresent();
            }
        }
    }

    /**
     * After the leader has closed, another server leads; when it begins, its state has each answered command. The leader's
     * listener is notified before its close returns, and before the next server leads.
     */
    @Test
    default void nextLeaderHasEveryAnsweredCommand() throws Exception {
        try (ServersUse use = ServersUse.of(this)) {
            ReplicatedLog first = use.leader();
            List<CompletableFuture<Integer>> known = new ArrayList<>();
            for (ReplicatedLog server : use.open()) {
                if (!server.equals(first)) {
                    LeadershipRecord record = new LeadershipRecord();
                    known.add(record.started().thenApply(started -> volumes(server)));
                    server.onLeadership(record);
                }
            }
            for (int i = 0; i < 20; i++) {
                use.answered(use.open().get(i % servers()), i);
            }
            first.close();
            assertThat(use.leads(first)).as("the closed server leads").isFalse();
            use.forget(first);
            int atStart = (Integer) LogUse.within(
                    "the next leader", patience(), CompletableFuture.anyOf(known.toArray(new CompletableFuture<?>[0])));
            assertThat(atStart)
                    .as("the volumes that the next leader knows when it begins")
                    .isEqualTo(20);
            use.answered(use.leader(), 20);
        }
    }

    /** A server that comes back has what was answered while it was away. */
    @Test
    default void serverThatComesBackCatchesUp() throws Exception {
        try (ServersUse use = ServersUse.of(this)) {
            ReplicatedLog leader = use.leader();
            ReplicatedLog away = use.open().stream()
                    .filter(server -> !server.equals(leader))
                    .findFirst()
                    .orElseThrow();
            use.answered(leader, 0);
            int number = use.stop(away);
            use.answered(use.leader(), 1);
            long snapshot = LogUse.within("a snapshot", patience(), use.leader().takeSnapshot());
            assertThat(snapshot).as("the index of the snapshot").isPositive();
            assertThat(use.leader().status().snapshotIndex())
                    .as("the index of the snapshot, in the status")
                    .isGreaterThanOrEqualTo(snapshot);
            use.answered(use.leader(), 2);
            ReplicatedLog back = use.start(number);
            for (int i = 0; i < 3; i++) {
                use.appliedVolume(back, i);
            }
        }
    }

    /** A closed log refuses commands, and may be closed again. It has not failed. */
    @Test
    default void closedServerRefusesCommands() throws Exception {
        try (ServersUse use = ServersUse.of(this)) {
            ReplicatedLog server = use.leader();
            server.close();
            server.close();
            use.forget(server);
            Throwable failure = catchThrowable(
                    () -> LogUse.within("a refusal", patience(), server.submit(LogCommands.register(0))));
            assertThat(failure)
                    .as("the failure of a command that was submitted to a closed server")
                    .hasCauseInstanceOf(LogClosedException.class);
            assertThat(server.failure()).as("the failure of a closed server").isEmpty();
            assertThat(server.state().snapshot())
                    .as("the state of a closed server")
                    .isNotNull();
        }
    }

    private static int volumes(ReplicatedLog server) {
        StateReader state = server.state().snapshot();
        int count = 0;
        while (state.volume(LogCommands.key(count)).isPresent()) {
            count++;
        }
        return count;
    }
}
