package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.FAST;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.id;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.agent.internal.wire.StreamResets;
import io.csi4j.client.TlsOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftClientReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftClientRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.grpc.AdminProtocolServiceGrpc;
import org.apache.ratis.proto.grpc.RaftClientProtocolServiceGrpc;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Attacks the port on which peers talk to each other, with real sockets. */
@Timeout(60)
final class LogPortTest {
    @TempDir
    Path root;

    /** Shows that the cluster works, and that each peer still has its state. */
    private static void assertWorks(TestCluster cluster, String name) {
        submit(cluster.leader(), name, 1);
        cluster.logs().forEach(log -> await("the entry", () -> has(log, name + "0") && has(log, "n0")));
        assertThat(cluster.logs()).allSatisfy(log -> assertThat(log.failure()).isEmpty());
    }

    @Test
    void idleConnectionsGiveWayToPeers() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 1);
            Peer attacked = cluster.peer(id(cluster.leader()));
            List<Socket> idle = new ArrayList<>();
            try {
                for (int i = 0; i < 400; i++) {
                    Socket socket = new Socket(InetAddress.getLoopbackAddress(), attacked.port());
                    socket.setSoTimeout(20_000);
                    idle.add(socket);
                }
                // Ends when the peer closes the connection; it begins with the settings of HTTP/2.
                assertThat(idle.get(0).getInputStream().readAllBytes()).hasSizeLessThan(1000);
                assertWorks(cluster, "during");
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void removalOfGroupIsRefused() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 1);
            for (RatisCommandLog log : cluster.logs()) {
                Peer peer = cluster.peer(id(log));
                try (PortClient attacker = PortClient.plain(peer)) {
                    GroupManagementRequest removal = GroupManagementRequest.newRemove(
                            ClientId.randomId(),
                            RaftPeerId.valueOf(peer.id().value()),
                            1,
                            PortClient.group("csi4j"),
                            true,
                            false);
                    assertThat(attacker.call(
                                    AdminProtocolServiceGrpc.getGroupManagementMethod(),
                                    ClientProtoUtils.toGroupManagementRequestProto(removal)))
                            .isEqualTo(Status.Code.PERMISSION_DENIED);
                }
            }
            assertWorks(cluster, "after");
        }
    }

    @Test
    void changeOfPeersIsRefused() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 1);
            Peer leader = cluster.peer(id(cluster.leader()));
            RaftPeerId kept = RaftPeerId.valueOf(leader.id().value());
            try (PortClient attacker = PortClient.plain(leader)) {
                SetConfigurationRequest.Arguments only = SetConfigurationRequest.Arguments.newBuilder()
                        .setServersInNewConf(List.of(RaftPeer.newBuilder()
                                .setId(kept)
                                .setAddress(leader.address())
                                .build()))
                        .build();
                SetConfigurationRequest takeover =
                        new SetConfigurationRequest(ClientId.randomId(), kept, PortClient.group("csi4j"), 1, only);
                assertThat(attacker.call(
                                AdminProtocolServiceGrpc.getSetConfigurationMethod(),
                                ClientProtoUtils.toSetConfigurationRequestProto(takeover)))
                        .isEqualTo(Status.Code.PERMISSION_DENIED);
            }
            assertThat(cluster.leader().peers()).hasSize(3);
            assertWorks(cluster, "after");
        }
    }

    @Test
    void noMethodForClientsOrAdministratorsAnswers() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 1);
            try (PortClient attacker = PortClient.plain(cluster.peer(id(cluster.leader())))) {
                List<MethodDescriptor<?, ?>> methods = Stream.of(
                                AdminProtocolServiceGrpc.getServiceDescriptor(),
                                RaftClientProtocolServiceGrpc.getServiceDescriptor())
                        .<MethodDescriptor<?, ?>>flatMap(service -> service.getMethods().stream())
                        .toList();
                assertThat(methods)
                        .hasSizeGreaterThan(5)
                        .allSatisfy(method ->
                                assertThat(attacker.callEmpty(method)).isEqualTo(Status.Code.PERMISSION_DENIED));
            }
            assertWorks(cluster, "after");
        }
    }

    @Test
    void bytesOfClientDoNotReachTheLog() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 1);
            Peer leader = cluster.peer(id(cluster.leader()));
            try (PortClient attacker = PortClient.plain(leader)) {
                RaftClientRequest garbage = RaftClientRequest.newBuilder()
                        .setClientId(ClientId.randomId())
                        .setServerId(RaftPeerId.valueOf(leader.id().value()))
                        .setGroupId(PortClient.group("csi4j"))
                        .setCallId(1)
                        .setMessage(Message.valueOf("no command"))
                        .setType(RaftClientRequest.writeRequestType())
                        .build();
                assertThat(attacker.call(
                                RaftClientProtocolServiceGrpc.getUnorderedMethod(),
                                ClientProtoUtils.toRaftClientRequestProto(garbage)))
                        .isEqualTo(Status.Code.PERMISSION_DENIED);
            }
            assertWorks(cluster, "after");
        }
    }

    @Test
    void trustedCertificateOfNodeIsRefused() throws Exception {
        TlsOptions node = PeerCertificates.make(root, "node", "csi4j://node/n1");
        TlsOptions server = PeerCertificates.trusting(PeerCertificates.make(root, "server"), node);
        try (TestCluster cluster = TestCluster.ofThree(root, FAST, builder -> builder.tls(server))) {
            submit(cluster.leader(), "n", 1);
            Peer leader = cluster.peer(id(cluster.leader()));
            try (PortClient known = PortClient.secure(leader, server);
                    PortClient attacker = PortClient.secure(leader, PeerCertificates.presenting(node, server))) {
                assertThat(known.call(
                                RaftServerProtocolServiceGrpc.getRequestVoteMethod(),
                                RequestVoteRequestProto.getDefaultInstance()))
                        .isNotIn(Status.Code.UNAVAILABLE, Status.Code.PERMISSION_DENIED);
                assertThat(attacker.call(
                                RaftServerProtocolServiceGrpc.getRequestVoteMethod(),
                                RequestVoteRequestProto.getDefaultInstance()))
                        .isEqualTo(Status.Code.UNAVAILABLE);
                assertThat(attacker.call(
                                RaftServerProtocolServiceGrpc.getAppendEntriesMethod(),
                                AppendEntriesRequestProto.getDefaultInstance()))
                        .isEqualTo(Status.Code.UNAVAILABLE);
            }
            assertWorks(cluster, "after");
        }
    }

    @Test
    void serverWithCertificateOfNodeGetsNoEntries() throws Exception {
        TlsOptions node = PeerCertificates.make(root, "node", "csi4j://node/n1");
        TlsOptions server = PeerCertificates.trusting(PeerCertificates.make(root, "server"), node);
        try (TestCluster cluster = TestCluster.ofThree(root, FAST, builder -> builder.tls(server))) {
            submit(cluster.leader(), "n", 1);
            Peer fourth = TestCluster.newPeer("peer-4");
            try (RatisCommandLog impostor = RatisCommandLog.builder(root.resolve("impostor"))
                    .options(FAST)
                    .state(TestCluster.READABLE)
                    .peer(fourth)
                    .tls(PeerCertificates.presenting(node, server))
                    .start()) {
                assertThatThrownBy(() -> cluster.leader().addPeer(fourth).join())
                        .hasMessageContaining("the attempt to add peer-4 did not succeed");
                assertThat(has(impostor, "n0")).isFalse();
            }
            assertWorks(cluster, "after");
        }
    }

    @Test
    void bytesThatAPeerPassesToTheLeaderDoNotReachTheLogEither() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 1);
            try (PortClient peer = PortClient.plain(cluster.peer(id(cluster.leader())))) {
                RaftClientReplyProto refusal =
                        peer.answer(PortClient.SUBMIT, passed("csi4j")).join();
                assertThat(refusal.getRpcReply().getSuccess()).isFalse();
                assertThat(refusal.getStateMachineException().getErrorMsg())
                        .contains("the entry was refused, because the leader cannot read it");
                assertThatThrownBy(() ->
                                peer.answer(PortClient.SUBMIT, passed("other")).join())
                        .hasMessageContaining("another cluster");
            }
            assertWorks(cluster, "after");
        }
    }

    @Test
    void clientThatResetsCallsInALoopIsDisconnected() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 1);
            String address = cluster.peer(id(cluster.leader())).address();
            int colon = address.lastIndexOf(':');
            InetSocketAddress port =
                    new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
            assertThat(StreamResets.untilClosed(
                            port, "/" + RaftServerProtocolServiceGrpc.SERVICE_NAME + "/requestVote", 50_000))
                    .isTrue();
            assertWorks(cluster, "after");
        }
    }

    private static RaftClientRequestProto passed(String cluster) {
        return ClientProtoUtils.toRaftClientRequestProto(RaftClientRequest.newBuilder()
                .setClientId(ClientId.randomId())
                .setServerId(RaftPeerId.valueOf("any"))
                .setGroupId(PortClient.group(cluster))
                .setMessage(Message.valueOf("no command"))
                .setType(RaftClientRequest.writeRequestType())
                .build());
    }
}
