package io.csi4j.benchmarks.cluster;

import io.csi4j.benchmarks.engine.EngineRig;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.RatisCommandLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.server.RaftServer;

/**
 * The program of one peer in a cluster of three peers. Each peer has its own process, which the benchmark can kill.
 * The peer runs the command log of csi4j or, for comparison, a counter on Apache Ratis. For each accepted claim or
 * counter entry, it prints a line with the times of the submission and the acceptance, in milliseconds.
 */
public final class ClusterPeer {
    private ClusterPeer() {}

    /**
     * Runs until the process is killed.
     *
     * @param args {@code csi} or {@code bare}, the number of the peer, the first port, and the directory
     */
    public static void main(String[] args) throws Exception {
        List<Peer> all = Ports.peers(3, Integer.parseInt(args[2]));
        Peer self = all.get(Integer.parseInt(args[1]));
        Path directory = Path.of(args[3]).resolve(self.id().value());
        if (args[0].equals("csi")) {
            csi(self, all, directory);
        } else {
            bare(self, all, directory);
        }
    }

    private static void csi(Peer self, List<Peer> all, Path directory) throws IOException {
        RatisCommandLog log = RatisCommandLog.builder(directory)
                .state(CsiLog.STATE)
                .peer(self)
                .everyLocalUserIsTrusted()
                .newCluster(all)
                .start();
        EngineRig rig = EngineRig.over(log, log.state());
        log.onLeadership(new LeadershipListener() {
            @Override
            public void startLeading() {
                rig.lifecycle.startLeading();
                System.out.println("leads");
            }

            @Override
            public void stopLeading() {
                rig.lifecycle.stopLeading();
            }
        });
        boolean prepared = false;
        for (int number = 0; ; number++) {
            if (!log.status().leading()) {
                LockSupport.parkNanos(1_000_000);
                continue;
            }
            try {
                if (!prepared) {
                    prepare(rig, log);
                    prepared = true;
                }
                claim(rig, log, self, number);
            } catch (CompletionException | CsiException e) {
                // Waits: another peer leads, or this peer was elected but does not lead yet.
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    /**
     * Creates the nodes and then the volumes, unless an earlier leader has created them. Ends all running allocations:
     * a killed leader did not end its last allocation, whose claim would block a volume.
     */
    private static void prepare(EngineRig rig, RatisCommandLog log) {
        if (log.state().snapshot().volume(EngineRig.key(Cycles.PLUGIN, 0)).isEmpty()) {
            rig.cluster(Cycles.PLUGIN);
            rig.volumes(Cycles.PLUGIN, 1_000);
        }
        for (Allocation left : log.state().snapshot().allocations()) {
            if (!left.ended()) {
                rig.allocation(left.id(), left.nodeId(), AllocationStatus.ENDED);
            }
        }
    }

    private static void claim(EngineRig rig, RatisCommandLog log, Peer self, int number) {
        AllocationId id = AllocationId.of(self.id() + "-" + System.nanoTime());
        long start = System.currentTimeMillis();
        log.submit(new AllocationCommand.UpsertAllocation(
                        id,
                        Namespace.of("default"),
                        EngineRig.node(number % EngineRig.NODES),
                        Optional.empty(),
                        AllocationStatus.RUNNING,
                        Instant.now()))
                .join();
        rig.lifecycle
                .claims()
                .claim(id, EngineRig.request(EngineRig.key(Cycles.PLUGIN, number % 1_000)))
                .join();
        System.out.println("accepted " + start + " " + System.currentTimeMillis());
        rig.allocation(id, EngineRig.node(number % EngineRig.NODES), AllocationStatus.ENDED);
    }

    private static void bare(Peer self, List<Peer> all, Path directory) throws Exception {
        RaftServer server = BareLog.start(self, all, directory);
        RaftClient client = RaftClient.newBuilder()
                .setProperties(new RaftProperties())
                .setRaftGroup(RaftGroup.valueOf(BareLog.GROUP, BareLog.peers(all)))
                .build();
        boolean led = false;
        while (true) {
            boolean leads = server.getDivision(BareLog.GROUP).getInfo().isLeaderReady();
            if (leads && !led) {
                System.out.println("leads");
            }
            led = leads;
            if (!leads) {
                LockSupport.parkNanos(1_000_000);
                continue;
            }
            long start = System.currentTimeMillis();
            RaftClientReply reply = client.io().send(BareLog.ENTRY);
            if (reply.isSuccess()) {
                System.out.println("accepted " + start + " " + System.currentTimeMillis());
            }
        }
    }
}
