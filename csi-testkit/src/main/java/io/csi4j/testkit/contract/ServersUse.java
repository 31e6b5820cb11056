package io.csi4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.state.StateScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** The servers of a log under test, with waits that end. Closes the servers that are still open. */
final class ServersUse implements AutoCloseable {
    private static final long POLL = 5_000_000;

    private final ReplicatedLogContract contract;
    private final Map<ReplicatedLog, Integer> open = new LinkedHashMap<>();
    private final Map<ReplicatedLog, LeadershipRecord> records = new LinkedHashMap<>();

    private ServersUse(ReplicatedLogContract contract) {
        this.contract = contract;
    }

    static ServersUse of(ReplicatedLogContract contract) throws IOException {
        ServersUse use = new ServersUse(contract);
        try {
            for (int i = 0; i < contract.servers(); i++) {
                ReplicatedLog unused = use.start(i);
            }
            return use;
        } catch (IOException | RuntimeException unopened) {
            use.close();
            throw unopened;
        }
    }

    /** Returns the open servers, in the order of their numbers at first. */
    List<ReplicatedLog> open() {
        return new ArrayList<>(open.keySet());
    }

    ReplicatedLog start(int number) throws IOException {
        ReplicatedLog server = contract.open(number);
        open.put(server, number);
        LeadershipRecord record = new LeadershipRecord();
        records.put(server, record);
        server.onLeadership(record);
        return server;
    }

    /** Closes a server, and returns its number. */
    int stop(ReplicatedLog server) {
        server.close();
        return forget(server);
    }

    /** Leaves a server out from now on; the test has closed it. Returns its number. */
    int forget(ReplicatedLog server) {
        return Objects.requireNonNull(open.remove(server), "the server was open");
    }

    boolean leads(ReplicatedLog server) {
        return Objects.requireNonNull(records.get(server), "a server of this test")
                .leads();
    }

    /** Returns the open servers that lead, as their listeners say. */
    List<ReplicatedLog> leading() {
        return open().stream().filter(this::leads).toList();
    }

    /** Waits until an open server leads, and returns it. */
    ReplicatedLog leader() throws Exception {
        List<CompletableFuture<ReplicatedLog>> started = new ArrayList<>();
        List<Runnable> removals = new ArrayList<>();
        for (ReplicatedLog server : open()) {
            LeadershipRecord record = new LeadershipRecord();
            started.add(record.started().thenApply(leads -> server));
            removals.add(server.onLeadership(record));
        }
        try {
            return (ReplicatedLog) LogUse.within(
                    "a leader",
                    contract.patience(),
                    CompletableFuture.anyOf(started.toArray(new CompletableFuture<?>[0])));
        } finally {
            removals.forEach(Runnable::run);
        }
    }

    /** Registers a volume at a server, and waits for the answer. */
    void answered(ReplicatedLog server, int number) throws Exception {
        Outcome outcome = LogUse.within("an answer", contract.patience(), server.submit(LogCommands.register(number)));
        assertThat(outcome.accepted()).as("volume %s is accepted", number).isTrue();
    }

    /** Waits until the state of a server has a volume. */
    void appliedVolume(ReplicatedLog server, int number) throws Exception {
        VolumeKey key = LogCommands.key(number);
        for (var seen = server.state().snapshot();
                seen.volume(key).isEmpty();
                seen = server.state().snapshot()) {
            CompletableFuture<Long> change = server.state().newerThan(StateScope.volume(key), seen.index());
            LogUse.within("volume " + number + " in the state of a server", contract.patience(), change);
        }
    }

    /** Waits until a server names the leader, which is no part of its state, and returns the status that does. */
    LogStatus statusThatNames(ReplicatedLog leader, ReplicatedLog server) {
        Optional<String> expected = Optional.of(leader.status().self());
        LogStatus status = server.status();
        for (long left = contract.patience().toNanos();
                left > 0 && !status.leader().equals(expected);
                left -= POLL) {
            LockSupport.parkNanos(POLL);
            status = server.status();
        }
        assertThat(status.leader())
                .as("the leader that server %s names", status.self())
                .isEqualTo(expected);
        return status;
    }

    @Override
    public void close() {
        open().parallelStream().forEach(ReplicatedLog::close);
    }
}
