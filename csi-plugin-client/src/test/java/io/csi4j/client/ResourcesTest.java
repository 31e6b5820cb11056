package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ResourcesTest {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    @TempDir
    Path directory;

    private static long descriptors() {
        try (Stream<Path> open = Files.list(DESCRIPTORS)) {
            return open.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Thread> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith(prefix))
                .toList();
    }

    /** Waits until the threads have ended. */
    private static void ended(String prefix) throws InterruptedException {
        for (Thread thread : threads(prefix)) {
            thread.join(TimeUnit.SECONDS.toMillis(30));
            assertThat(thread.isAlive()).as(thread.getName()).isFalse();
        }
    }

    private static void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            // The condition is in the operating system and sends no notification.
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"EPOLL", "NIO"})
    void thousandClosedClientsLeaveNoThreadsOrFiles(Transport transport) throws Exception {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "needs Linux");
        Path socket = directory.resolve("x.sock");
        try (PluginServer server = PluginServer.start(socket, call -> call.ok(Wire.INFO))) {
            CsiClient.Builder builder = CsiClient.builder(Endpoint.unix(socket)).transport(transport);
            useAndClose(builder, 20);
            ended("csi4j-io");
            long descriptorsBefore = descriptors();

            // Opens and closes clients one after the other, so that each is the last open client.
            useAndClose(builder, 500);

            // Opens all clients at the same time.
            List<CsiClient> clients = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                CsiClient client = builder.build();
                clients.add(client);
                assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
            }
            assertThat(threads("csi4j-io")).hasSizeBetween(1, 4).allMatch(Thread::isDaemon);
            assertThat(threads("csi4j-call")).hasSizeLessThan(20).allMatch(Thread::isDaemon);
            assertThat(descriptors()).isGreaterThan(descriptorsBefore + 500);
            clients.forEach(CsiClient::close);

            assertThat(server.calls()).isEqualTo(1_020);
            ended("csi4j-io");
            // Waits, because the plugin closes its ends of the connections a short time later.
            await(() -> descriptors() <= descriptorsBefore, "open files after the last client");
            ended("csi4j-call");
        }
    }

    private static void useAndClose(CsiClient.Builder builder, int count) {
        for (int i = 0; i < count; i++) {
            try (CsiClient client = builder.build()) {
                assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
            }
        }
    }
}
