package io.csi4j.testkit;

import static io.csi4j.testkit.VolumeCalls.failure;
import static io.csi4j.testkit.VolumeCalls.get;
import static io.csi4j.testkit.assertion.CsiAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.history.CallRecord;
import io.csi4j.testkit.history.Leak;
import java.io.BufferedReader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults and history of a plugin in its own process. */
class ProcessFaultsTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String NODE = "node-1";

    @TempDir
    Path directory;

    private String endpoint;

    @BeforeEach
    void name() {
        endpoint = "unix://" + directory.resolve("p.sock");
    }

    private FakePluginProcessBuilder builder() {
        return FakePluginProcess.builder(endpoint)
                .jvmArguments(ClassArchive.option())
                .stateDir(directory.resolve("state"))
                .volumes("vol-1=1Mi");
    }

    @Test
    void callRepeatedAfterCrashFindsItsEarlierEffect() {
        try (FakePluginProcess plugin = builder().start();
                VolumeCalls calls = VolumeCalls.once(endpoint)) {
            Fault fault = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME)
                    .forVolume("vol-1")
                    .once()
                    .crashAfterEffect();
            assertThat(failure(calls.publish("vol-1", NODE)).code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(plugin.awaitEnd(LONG)).isTrue();
            assertThat(fault.used()).isEqualTo(1);
            CallRecord crashed =
                    plugin.history().last(Rpc.CONTROLLER_PUBLISH_VOLUME).orElseThrow();
            assertThat(crashed.succeeded()).isTrue();
            assertThat(crashed.fault()).contains("on ControllerPublishVolume volume vol-1 times 1 crash after");
            assertThatThrownBy(plugin::faults).hasMessageContaining("does not run; restart it");

            plugin.restart();
            assertThat(plugin.leaks()).containsExactly(new Leak(Leak.Kind.ATTACHMENT, "vol-1", NODE));
            get(calls.publish("vol-1", NODE));
            assertThat(plugin).published("vol-1").onNode(NODE);
            assertThat(plugin).saw(Rpc.CONTROLLER_PUBLISH_VOLUME, 2).sawNoConcurrentCallsPerVolume();
            assertThat(plugin.history().calls()).extracting(CallRecord::number).doesNotHaveDuplicates();
            get(calls.unpublish("vol-1", NODE));
            assertThat(plugin).notPublished("vol-1").hasNoLeaks();
            assertThat(plugin.terminate()).isEqualTo(143);
        }
    }

    @Test
    void crashBeforeEffectLeavesNoEffect() {
        try (FakePluginProcess plugin = builder().start();
                VolumeCalls calls = VolumeCalls.once(endpoint)) {
            plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).crashBeforeEffect();
            failure(calls.publish("vol-1", NODE));
            assertThat(plugin.awaitEnd(LONG)).isTrue();
            assertThat(plugin.terminate()).as("exit code").isEqualTo(137);
            assertThat(plugin.history()
                            .last(Rpc.CONTROLLER_PUBLISH_VOLUME)
                            .orElseThrow()
                            .result())
                    .isEmpty();
            plugin.restart();
            assertThat(plugin).hasNoLeaks();
            assertThat(plugin.faults()).isEmpty();
        }
    }

    @Test
    void volumeContextOfCallIsRead() {
        try (FakePluginProcess plugin = builder().start();
                VolumeCalls calls = VolumeCalls.once(endpoint)) {
            Map<String, String> context = Map.of("tab\tkey", "line\nvalue", "target_path", "no argument");
            failure(calls.client
                    .controller()
                    .controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                    ExternalVolumeId.of("vol-9"), ExternalNodeId.of(NODE), VolumeCalls.WRITER)
                            .volumeContext(VolumeContext.of(context))
                            .build()));
            CallRecord call =
                    plugin.history().last(Rpc.CONTROLLER_PUBLISH_VOLUME).orElseThrow();
            assertThat(call.volumeContext()).isEqualTo(context);
            assertThat(call.arguments()).containsEntry("volume_id", "vol-9").doesNotContainKey("target_path");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void clientRecoversFromDroppedConnection(String transport) {
        try (FakePluginProcess plugin = builder()
                        .jvmArguments("-Dcsi4j.fake.transport=" + transport)
                        .start();
                VolumeCalls calls = VolumeCalls.retrying(endpoint)) {
            plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().dropConnectionAfterEffect();
            get(calls.publish("vol-1", NODE));
            assertThat(plugin).usedAllFaults().saw(Rpc.CONTROLLER_PUBLISH_VOLUME, 2);
        }
    }

    @Test
    void replayAfterLostReplySucceeds() {
        try (FakePluginProcess plugin = builder().start();
                VolumeCalls calls = VolumeCalls.once(endpoint)) {
            // The first call of a new process can take seconds on a busy machine.
            get(calls.publish("vol-1", NODE));
            get(calls.unpublish("vol-1", NODE));
            Fault fault = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().loseReplyAfterEffect();
            var lost = calls.within(Duration.ofSeconds(5)).publish("vol-1", NODE);
            fault.awaitUse(1, LONG);
            assertThat(failure(lost).code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
            get(calls.publish("vol-1", NODE));
            assertThat(plugin).published("vol-1").onNodesOnly(NODE);
        }
    }

    @Test
    void hangingCallContinuesWhenRuleIsRemoved() {
        try (FakePluginProcess plugin = builder().start();
                VolumeCalls calls = VolumeCalls.once(endpoint)) {
            Fault fault = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).hang();
            var publishing = calls.publish("vol-1", NODE);
            fault.awaitUse(1, LONG);
            assertThat(plugin.faults()).hasSize(1).allMatch(each -> each.used() == 1);
            assertThat(plugin.history().inFlight().calls()).hasSize(1);
            fault.remove();
            get(publishing);
            assertThat(fault.used()).isEqualTo(1);
            plugin.onAnyCall().failWith(StatusCode.INTERNAL);
            plugin.removeFaults();
            get(calls.unpublish("vol-1", NODE));
        }
    }

    @Test
    void faultScriptFileAppliesFromFirstCall() throws Exception {
        Path script = Files.writeString(
                directory.resolve("faults"), "# twice\non ControllerPublishVolume times 2 fail UNAVAILABLE\n");
        try (FakePluginProcess plugin = builder().faults(script).start();
                VolumeCalls calls = VolumeCalls.retrying(endpoint)) {
            get(calls.publish("vol-1", NODE));
            assertThat(plugin).usedAllFaults().saw(Rpc.CONTROLLER_PUBLISH_VOLUME, 3);
        }
    }

    @Test
    void errorForInvalidScriptAtStartContainsItsLine() throws Exception {
        Path script = Files.writeString(directory.resolve("faults"), "\non ControllerPublish hang\n");
        assertThatThrownBy(() -> builder().faults(script).start())
                .hasMessageContaining("ended with code 2")
                .hasMessageContaining("line 2: 'ControllerPublish' is no RPC of CSI");
        assertThatThrownBy(() -> builder().faults(directory.resolve("missing")).start())
                .hasMessageContaining("ended with code 2")
                .hasMessageContaining("cannot be read");
    }

    @Test
    void controlSocketAcceptsPlainTextCommands() throws Exception {
        Path control = directory.resolve("c.sock");
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().build()) {
            plugin.startInProcess().controlOn("unix://" + control);
            assertThat(ask(control, "help")).startsWith("ok 10");
            assertThat(ask(control, "fault on Probe fail UNAVAILABLE")).isEqualTo("ok 1");
            assertThat(ask(control, "fault on Prob hang")).contains("error line 1: 'Prob' is no RPC");
            assertThat(ask(control, "capacity 7 zone=a,rack=1")).isEqualTo("ok");
            assertThat(ask(control, "capacity 7")).contains("needs a number of bytes and a segment");
            assertThat(ask(control, "capacity 7 zone")).contains("'zone' is no key=value");
            assertThat(ask(control, "capacity much zone=a")).contains("'much' is no number");
            assertThat(ask(control, "capacity -1 zone=a")).contains("must not be negative");
            assertThat(ask(control, "changed-requests")).isEqualTo("ok 0");
            assertThat(ask(control, "dance")).isEqualTo("error 'dance' is no command; help lists them");
            assertThat(ask(control, "remove 9")).contains("there is no rule 9");
            assertThat(ask(control, "await 1 1 10")).contains("was used 0 times");
            assertThat(plugin.faults()).hasSize(1);
            assertThat(ask(control, "history table")).startsWith("ok 2");
        }
        assertThat(control).doesNotExist();
    }

    /** Sends a command and returns the first line of the answer. */
    private static String ask(Path control, String command) throws Exception {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(control))) {
            channel.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.UTF_8)));
            return new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)).readLine();
        }
    }
}
