package io.csi4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.InternalChannelz;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** The channels of this process that are not ended, as gRPC itself counts them. */
final class OpenChannels {
    private OpenChannels() {}

    /** How many there are to targets with that in their names. */
    static int to(String part) {
        List<String> targets = InternalChannelz.instance().getRootChannels(0, 10_000).channels.stream()
                .map(channel -> {
                    try {
                        return channel.getStats().get().target;
                    } catch (InterruptedException | ExecutionException unknown) {
                        throw new AssertionError(unknown);
                    }
                })
                .toList();
        return (int) targets.stream().filter(target -> target.contains(part)).count();
    }

    /** Waits until there are so many; a channel ends in its own time. */
    static void await(String part, int count) {
        Instant end = Instant.now().plus(Ground.PATIENCE);
        int now = to(part);
        while (now != count) {
            assertThat(Instant.now())
                    .as("%s channels to %s, not %s", now, part, count)
                    .isBefore(end);
            Thread.onSpinWait();
            now = to(part);
        }
    }
}
