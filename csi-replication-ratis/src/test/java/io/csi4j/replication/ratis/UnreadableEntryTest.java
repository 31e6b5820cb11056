package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.READABLE;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.id;
import static io.csi4j.replication.ratis.TestCluster.node;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.ratis.internal.files.SkippedEntries;
import io.csi4j.replication.ratis.internal.machine.CommandStateMachine;
import io.csi4j.replication.ratis.internal.machine.LogEntry;
import io.csi4j.replication.ratis.internal.machine.MachineListener;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bytes that no version can read do not enter the log; if they are in it, the log can be repaired. */
@Timeout(60)
final class UnreadableEntryTest {
    private static final Pattern REMEDY =
            Pattern.compile("with index (\\d+) cannot be read: .*write the line \\1 to the file (\\S+)");

    @TempDir
    Path root;

    private static ByteString entry(LogEntry.Kind kind, ByteString content) {
        return new LogEntry(kind, 7, 1, 1, content).encode();
    }

    private static ByteString encoded(String name) {
        return ByteString.copyFrom(CommandCodec.of(READABLE).encodeCommand(node(name)));
    }

    @Test
    void onlyReadableEntriesEnterTheLog() throws Exception {
        Failures failures = new Failures();
        try (StateStore store = StateStore.create(READABLE);
                BarePeer peer = BarePeer.alone(
                        root,
                        new CommandStateMachine(
                                store, CommandCodec.of(READABLE), SkippedEntries.read(root), 1, failures))) {
            assertThat(peer.send(entry(LogEntry.Kind.COMMAND, encoded("n0"))).isSuccess())
                    .isTrue();
            long last = peer.lastIndex();
            List<ByteString> refused = List.of(
                    ByteString.EMPTY,
                    ByteString.copyFromUtf8("no command"),
                    ByteString.copyFrom(new byte[64]),
                    entry(LogEntry.Kind.COMMAND, ByteString.EMPTY),
                    entry(LogEntry.Kind.COMMAND, ByteString.copyFromUtf8("no command")),
                    entry(LogEntry.Kind.BARRIER, ByteString.copyFromUtf8("more")),
                    entry(LogEntry.Kind.CHECK, ByteString.copyFromUtf8("short")),
                    entry(LogEntry.Kind.CHECK, CommandStateMachine.checkContent(1, ByteString.copyFrom(new byte[32]))));
            for (ByteString bytes : refused) {
                RaftClientReply reply = peer.send(bytes);
                assertThat(reply.isSuccess()).as("%s", bytes).isFalse();
                assertThat(reply.getException()).hasMessageContaining("refused");
                assertThat(peer.lastIndex()).isEqualTo(last);
            }
            assertThat(peer.send(entry(LogEntry.Kind.BARRIER, ByteString.EMPTY)).isSuccess())
                    .isTrue();
            assertThat(failures.all).isEmpty();
        }
    }

    @Test
    void unreadableEntryStopsPeerUntilItIsLeftOut() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(root).start()) {
            submit(log, "n", 1);
        }
        BarePeer.append(root, "no command");
        String message;
        try (RatisCommandLog log = RatisCommandLog.builder(root).start()) {
            await("the peer stops", () -> log.failure().isPresent());
            message = log.failure().orElseThrow().getMessage();
        }
        Matcher remedy = REMEDY.matcher(message);
        assertThat(message).containsPattern(REMEDY);
        assertThat(remedy.find()).isTrue();
        Files.writeString(Path.of(remedy.group(2)), remedy.group(1) + "\n");
        for (int start = 0; start < 2; start++) {
            try (RatisCommandLog log = RatisCommandLog.builder(root).start()) {
                submit(log, "m" + start, 1);
                assertThat(has(log, "n0")).isTrue();
                assertThat(log.failure()).isEmpty();
                log.takeSnapshot().join();
            }
        }
        Files.delete(Path.of(remedy.group(2)));
        try (RatisCommandLog log = RatisCommandLog.builder(root).start()) {
            submit(log, "o", 1);
            assertThat(has(log, "m10")).isTrue();
        }
    }

    @Test
    void clusterIsRepairedWhenEachPeerLeavesTheEntryOut() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 1);
            List<PeerId> ids = cluster.logs().stream().map(TestCluster::id).toList();
            ids.forEach(cluster::stop);
            appendAtEachPeer(cluster, ids);
            for (PeerId id : ids) {
                cluster.restart(id);
            }
            await(
                    "a peer stops",
                    () -> cluster.logs().stream().anyMatch(log -> log.failure().isPresent()));
            String message = cluster.logs().stream()
                    .flatMap(log -> log.failure().stream())
                    .findFirst()
                    .orElseThrow()
                    .getMessage();
            Matcher remedy = REMEDY.matcher(message);
            assertThat(remedy.find()).as(message).isTrue();
            ids.forEach(cluster::stop);
            for (PeerId id : ids) {
                Files.writeString(
                        cluster.directory(id).resolve(Path.of(remedy.group(2)).getFileName()), remedy.group(1));
                cluster.restart(id);
            }
            submit(cluster.leader(), "m", 150);
            cluster.logs().forEach(log -> await("the state", () -> has(log, "n0") && has(log, "m149")));
            assertThat(cluster.logs())
                    .allSatisfy(log -> assertThat(log.failure()).isEmpty());
        }
    }

    private static void appendAtEachPeer(TestCluster cluster, List<PeerId> ids) throws Exception {
        List<BarePeer> careless = new ArrayList<>();
        try {
            for (PeerId id : ids) {
                careless.add(BarePeer.careless(cluster.directory(id), cluster.peer(id)));
            }
            await("a leader", () -> careless.stream().anyMatch(BarePeer::leads));
            BarePeer leader =
                    careless.stream().filter(BarePeer::leads).findFirst().orElseThrow();
            assertThat(leader.send("no command").isSuccess()).isTrue();
            careless.forEach(peer -> await("the entry", () -> peer.lastIndex() >= leader.lastIndex()));
        } finally {
            for (BarePeer peer : careless) {
                peer.close();
            }
        }
    }

    @Test
    void unusableListOfEntriesToLeaveOutIsRefused() throws Exception {
        Files.writeString(root.resolve("skip-entries"), "17\nx\n");
        assertThatThrownBy(() -> RatisCommandLog.builder(root).start())
                .isInstanceOf(LogFailedException.class)
                .hasMessageContaining(root.resolve("skip-entries").toString())
                .hasMessageContaining("\"x\"");
    }

    private static final class Failures implements MachineListener {
        private final List<LogFailedException> all = new ArrayList<>();

        @Override
        public void elected() {
            // Not of interest.
        }

        @Override
        public void deposed() {
            // Not of interest.
        }

        @Override
        public void followed(RaftPeerId leader) {
            // Not of interest.
        }

        @Override
        public void leaderMissing() {
            // Not of interest.
        }

        @Override
        public void applied(long index) {
            // Not of interest.
        }

        @Override
        public void checkDue(long index, ByteString digest) {
            // Not of interest.
        }

        @Override
        public void failed(LogFailedException failure) {
            all.add(failure);
        }
    }
}
