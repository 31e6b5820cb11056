package io.csi4j.benchmarks.cluster;

import io.csi4j.replication.ratis.Peer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/**
 * A replicated counter on Apache Ratis, with which the command log of csi4j is compared. All its peers run in this
 * process, with the same timeouts and durability as that command log. An entry has as many bytes as a small command.
 */
final class BareLog implements MeasuredLog {
    static final RaftGroupId GROUP = RaftGroupId.valueOf(UUID.fromString("1c514a00-0000-4000-8000-000000000001"));
    static final Message ENTRY = Message.valueOf(ByteString.copyFrom(new byte[96]));
    private static final TimeDuration ELECTION = TimeDuration.valueOf(1, TimeUnit.SECONDS);
    private static final TimeDuration LONGEST_ELECTION = TimeDuration.valueOf(1500, TimeUnit.MILLISECONDS);

    private final List<RaftServer> servers = new ArrayList<>();
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();

    BareLog(Path directory, int count, int firstPort) throws IOException {
        List<Peer> all = Ports.peers(count, firstPort);
        for (Peer peer : all) {
            servers.add(start(peer, all, directory.resolve(peer.id().value())));
        }
    }

    static List<RaftPeer> peers(List<Peer> all) {
        return all.stream()
                .map(peer -> RaftPeer.newBuilder()
                        .setId(peer.id().value())
                        .setAddress(peer.address())
                        .build())
                .toList();
    }

    static RaftServer start(Peer self, List<Peer> all, Path directory) throws IOException {
        RaftProperties properties = new RaftProperties();
        RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, ELECTION);
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, LONGEST_ELECTION);
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf("8MB"));
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("1MB"));
        GrpcConfigKeys.Server.setHost(properties, self.host());
        GrpcConfigKeys.Server.setPort(properties, self.port());
        RaftServer server = RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(self.id().value()))
                .setGroup(RaftGroup.valueOf(GROUP, peers(all)))
                .setProperties(properties)
                .setParameters(new Parameters())
                .setStateMachine(new CounterMachine())
                // Lets a killed peer start again with its old files, which the default option would reject.
                .setOption(RaftStorage.StartupOption.RECOVER)
                .build();
        server.start();
        return server;
    }

    private RaftServer leader() {
        while (true) {
            for (RaftServer server : servers) {
                try {
                    if (server.getDivision(GROUP).getInfo().isLeaderReady()) {
                        return server;
                    }
                } catch (IOException e) {
                    throw new IllegalStateException("a server has no group", e);
                }
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public CompletableFuture<?> submit(int number) {
        RaftServer leader = leader();
        try {
            return leader.submitClientRequestAsync(RaftClientRequest.newBuilder()
                            .setClientId(client)
                            .setServerId(leader.getId())
                            .setGroupId(GROUP)
                            .setCallId(calls.incrementAndGet())
                            .setMessage(ENTRY)
                            .setType(RaftClientRequest.writeRequestType())
                            .build())
                    .thenAccept(reply -> {
                        if (!reply.isSuccess()) {
                            throw new IllegalStateException("refused: " + reply);
                        }
                    });
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (RaftServer server : servers) {
            server.close();
        }
    }
}
