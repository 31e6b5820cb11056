package io.csi4j.benchmarks.cluster;

import io.csi4j.replication.ratis.Peer;
import java.util.List;
import java.util.stream.IntStream;

/** Finds addresses for peers on this machine. */
final class Ports {
    private Ports() {}

    static List<Peer> peers(int count, int firstPort) {
        return IntStream.range(0, count)
                .mapToObj(i -> Peer.of("peer-" + i, "127.0.0.1", firstPort + i))
                .toList();
    }
}
