package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.testkit.capability.FakeCapability;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin as a process: how it comes up, how it ends, and what it leaves. */
class FakePluginProcessTest {
    @TempDir
    Path directory;

    private Path socket;
    private String endpoint;

    @BeforeEach
    void name() {
        socket = directory.resolve("p.sock");
        endpoint = "unix://" + socket;
    }

    private static String nameOf(String endpoint) {
        try (PluginClient client = PluginClient.on(endpoint)) {
            return client.identity()
                    .getPluginInfo(GetPluginInfoRequest.getDefaultInstance())
                    .getName();
        }
    }

    @Test
    void terminatedProcessRemovesItsSocket() throws Exception {
        try (FakePluginProcess plugin = FakePluginProcess.builder(endpoint)
                .name("other.csi4j.io")
                .without(FakeCapability.LIST_VOLUMES)
                .start()) {
            assertThat(plugin.isAlive()).isTrue();
            assertThat(ProcessHandle.of(plugin.pid())).isPresent();
            assertThat(nameOf(endpoint)).isEqualTo("other.csi4j.io");
            assertThat(Files.getPosixFilePermissions(socket))
                    .allMatch(one -> one.name().startsWith("OWNER"));
            assertThat(plugin.terminate()).isEqualTo(143);
            assertThat(plugin.isAlive()).isFalse();
        }
        try (var left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void socketOfKilledPluginIsReplaced() {
        try (FakePluginProcess plugin = FakePluginProcess.builder(endpoint).start()) {
            long first = plugin.pid();
            plugin.killForcibly();
            assertThat(plugin.isAlive()).isFalse();
            assertThat(socket).exists();
            plugin.restart();
            assertThat(plugin.pid()).isNotEqualTo(first);
            assertThat(nameOf(endpoint)).isEqualTo("fake.csi4j.io");
        }
        assertThat(socket).doesNotExist();
    }

    @Test
    void socketOfRunningPluginIsRefused() {
        try (FakePluginProcess plugin = FakePluginProcess.builder(endpoint).start()) {
            assertThat(plugin.output()).contains("listening on " + endpoint);
            assertThatThrownBy(() -> FakePluginProcess.builder(endpoint).start())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("ended with code 1")
                    .hasMessageContaining("a live plugin listens there");
            assertThat(nameOf(endpoint)).isEqualTo("fake.csi4j.io");
        }
    }

    @Test
    void wrongArgumentsFailWithExitCodeAndErrorText() {
        assertThatThrownBy(() -> FakePluginProcess.builder(endpoint)
                        .arguments("--capacity", "much")
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ended with code 2")
                .hasMessageContaining("--capacity 'much' is no size");
    }

    @Test
    void foreignSocketIsNotRemoved() throws Exception {
        try (FakePluginProcess plugin = FakePluginProcess.builder(endpoint).start();
                ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            Files.delete(socket);
            other.bind(UnixDomainSocketAddress.of(socket));
            plugin.terminate();
            assertThat(socket).exists();
        }
    }

    @Test
    void processEndsWithItsParent() throws Exception {
        Process parent = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Parent.class.getName(),
                        endpoint)
                .redirectErrorStream(true)
                .start();
        long child;
        try (var reader = parent.inputReader()) {
            child = Long.parseLong(reader.readLine());
            ProcessHandle handle = ProcessHandle.of(child).orElseThrow();
            parent.destroyForcibly();
            handle.onExit().get(30, TimeUnit.SECONDS);
        }
        assertThat(socket).doesNotExist();
    }

    /** Starts a plugin, tells its process id and waits to be killed. */
    static final class Parent {
        private Parent() {}

        public static void main(String[] args) throws Exception {
            try (FakePluginProcess plugin =
                    FakePluginProcess.builder(args[0]).shieldedFromCtrlC().start()) {
                System.out.println(plugin.pid());
                Thread.currentThread().join();
            }
        }
    }

    @Test
    void pluginProcessShieldedFromCtrlCIgnoresInterruptSignal() throws Exception {
        try (FakePluginProcess plugin =
                FakePluginProcess.builder(endpoint).shieldedFromCtrlC().start()) {
            assertThat(Machine.run("kill", "-INT", Long.toString(plugin.pid()))).isEmpty();
            // The signal is delivered before kill returns; a plugin that obeyed it would refuse this call.
            assertThat(nameOf(endpoint)).isEqualTo("fake.csi4j.io");
            assertThat(plugin.terminate()).isEqualTo(143);
        }
    }

    @Test
    void processRunsWithoutEpoll() {
        try (FakePluginProcess plugin = FakePluginProcess.builder(endpoint)
                .jvmArguments("-Dcsi4j.fake.transport=nio")
                .start()) {
            assertThat(nameOf(endpoint)).isEqualTo("fake.csi4j.io");
            assertThat(plugin.terminate()).isEqualTo(143);
        }
        assertThat(directory).isEmptyDirectory();
    }
}
