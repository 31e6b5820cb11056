package io.csi4j.examples.own;

import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.replication.ratis.RatisLogOptions;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.testkit.contract.ReplicatedLogContract;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The log of csi-replication-ratis keeps the contract with three servers. */
class RatisServersContractTest implements ReplicatedLogContract {
    @TempDir
    Path directory;

    private final List<Peer> peers = new ArrayList<>();

    @BeforeEach
    void choosePorts() throws IOException {
        for (int i = 0; i < servers(); i++) {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                peers.add(Peer.of("server-" + i, "127.0.0.1", free.getLocalPort()));
            }
        }
    }

    @Override
    public ReplicatedLog open(int number) throws IOException {
        return RatisCommandLog.builder(directory.resolve("server-" + number))
                .peer(peers.get(number))
                .newCluster(peers)
                .everyLocalUserIsTrusted()
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .options(RatisLogOptions.builder()
                        .electionTimeout(Duration.ofMillis(400))
                        .build())
                .start();
    }
}
