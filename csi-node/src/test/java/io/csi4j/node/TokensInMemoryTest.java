package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.plugin.RepublishOptions.Delivery;
import io.csi4j.node.PublishTokenProvider.Token;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No object of an idle node reaches a token after its call: a dump of the live objects does not contain one. */
class TokensInMemoryTest {
    private static final Duration INTERVAL = Duration.ofMinutes(10);

    @TempDir
    private Path base;

    private int issued;

    /** Returns the token with a number. The test keeps none, so that it is not what it searches for. */
    private static String token(int number) {
        byte[] bytes = new byte[48];
        new Random(771_003L + number).nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private CompletableFuture<List<Token>> issue(Bench bench) {
        Instant expires = bench.time.instant().plus(Duration.ofHours(1));
        issued++;
        return CompletableFuture.completedFuture(List.of(new Token("sts", token(issued), expires)));
    }

    private static NodeMount request(Delivery delivery) {
        return Bench.request("v", "a")
                .republish(new RepublishOptions(
                        INTERVAL, List.of("sts"), Optional.of(Duration.ofHours(1)), delivery, false))
                .build();
    }

    /** Returns the bytes of all live objects, each as one character. */
    private String liveObjects(String name) throws IOException {
        Path dump = base.resolve(name + ".hprof");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(dump.toString(), true);
        try {
            return new String(Files.readAllBytes(dump), StandardCharsets.ISO_8859_1);
        } finally {
            Files.delete(dump);
        }
    }

    private void containsNoToken(Bench bench, String when) throws IOException {
        // The virtual timer keeps what was cancelled until its time.
        int before;
        do {
            before = issued;
            bench.time.advance(Duration.ofMinutes(5));
        } while (issued != before);
        // The scripted plugin keeps the requests that it got.
        bench.node.publishRequests.clear();
        assertThat(issued).isPositive();
        String live = liveObjects(when);
        for (int number = 1; number <= issued; number++) {
            assertThat(live.contains(token(number)))
                    .as("token %s of %s %s", number, issued, when)
                    .isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Delivery.class)
    void tokenIsGoneAfterItsCall(Delivery delivery) throws IOException {
        Bench bench = new Bench(base, 1, true);
        bench.tokens = request -> issue(bench);
        bench.done(bench.volumes.mount(request(delivery)));
        containsNoToken(bench, "after the mount");

        bench.time.advance(INTERVAL.multipliedBy(2));
        assertThat(issued).isGreaterThan(1);
        containsNoToken(bench, "after repetitions");

        for (Fate fate : List.of(Fate.REFUSED, Fate.UNAVAILABLE, Fate.LOST_ANSWER)) {
            bench.node.fates = rpc -> fate;
            int before = issued;
            bench.time.advance(INTERVAL.multipliedBy(2));
            assertThat(issued).isGreaterThan(before);
            bench.node.fates = rpc -> Fate.OK;
        }
        containsNoToken(bench, "after failed repetitions");

        bench.tokens = request -> CompletableFuture.failedFuture(new IllegalStateException(token(++issued)));
        bench.time.advance(INTERVAL.multipliedBy(2));
        containsNoToken(bench, "after an exception that contains one");
        bench.done(bench.unmount("v", "a"));
        containsNoToken(bench, "after the unmount");
        assertThat(bench.events.toString()).contains("IllegalStateException");
    }

    @Test
    void searchFindsATokenThatIsKept() throws IOException {
        List<Token> kept = List.of(new Token("sts", token(1), Instant.EPOCH));
        assertThat(liveObjects("kept").contains(token(1))).isTrue();
        assertThat(kept).hasSize(1);
    }
}
