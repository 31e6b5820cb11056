package io.csi4j.replication.ratis;

import static io.csi4j.replication.ratis.TestCluster.FAST;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.newPeer;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.TlsOptions;
import io.csi4j.core.call.CsiException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class PeerTlsTest {
    @TempDir
    Path root;

    @Test
    @Tag("versions")
    void onlyPeersWithTrustedCertificatesReplicate() throws Exception {
        TlsOptions trusted = PeerCertificates.make(root, "trusted");
        TlsOptions stranger = PeerCertificates.make(root, "stranger");
        try (TestCluster cluster = TestCluster.ofThree(root, FAST, builder -> builder.tls(trusted))) {
            submit(cluster.follower(), "n", 10);
            Peer fourth = newPeer("peer-4");
            try (RatisCommandLog outsider = RatisCommandLog.builder(root.resolve("outsider"))
                    .options(FAST)
                    .state(TestCluster.READABLE)
                    .peer(fourth)
                    .tls(stranger)
                    .start()) {
                assertThatThrownBy(() -> cluster.leader().addPeer(fourth).join())
                        .hasCauseInstanceOf(CsiException.class)
                        .hasMessageContaining("the attempt to add peer-4 did not succeed");
                assertThat(has(outsider, "n9")).isFalse();
            }
            submit(cluster.leader(), "m", 5);
        }
    }

    @Test
    void nonLoopbackAddressWithoutTlsIsRefused() {
        RatisCommandLogBuilder builder = RatisCommandLog.builder(root).peer(Peer.of("a", "192.0.2.1", 9000));
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("192.0.2.1:9000")
                .hasMessageContaining("set tls");
    }

    @Test
    void peerWithoutTlsIsRefusedUnlessEveryLocalUserIsTrusted() throws Exception {
        Peer peer = newPeer("a");
        RatisCommandLogBuilder builder =
                RatisCommandLog.builder(root).state(TestCluster.READABLE).peer(peer);
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(peer.address() + " without tls")
                .hasMessageContaining("every user of this machine could change and destroy the log")
                .hasMessageContaining("set tls, leave out peer if the server has no other peers");
        builder.everyLocalUserIsTrusted().start().close();
    }

    @Test
    void tlsWithoutOwnCertificateIsRefused() {
        RatisCommandLogBuilder builder = RatisCommandLog.builder(root);
        assertThatThrownBy(() -> builder.tls(TlsOptions.ofDefaults())).hasMessageContaining("certificate");
    }
}
