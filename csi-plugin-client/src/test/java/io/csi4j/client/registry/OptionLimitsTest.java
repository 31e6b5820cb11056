package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.ExceededLimit;
import io.csi4j.client.registry.instance.MountRoot;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The largest and the smallest accepted values of options and paths. */
class OptionLimitsTest {
    private static final InstanceKey KEY = RegistryWorld.key("p", PluginType.NODE, "a");
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private static void refused(ThrowingCallable call, String text) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(text);
    }

    @Test
    void optionsOfConnectionArePositiveAndAtMostHundredYears() {
        Duration most = Duration.ofDays(36_500);
        ConnectionOptions options = ConnectionOptions.builder()
                .startUpLimit(most)
                .livenessLimit(Duration.ofNanos(1))
                .probeInterval(Duration.ofSeconds(3))
                .probeSpacing(Duration.ofSeconds(2))
                .retryMax(Duration.ofSeconds(2))
                .factsInterval(Duration.ofSeconds(5))
                .socketPollInterval(Duration.ofSeconds(6))
                .nodeInfoSpacing(Duration.ofSeconds(7))
                .build();
        assertThat(options.startUpLimit()).isEqualTo(most);
        assertThat(options.livenessLimit()).isEqualTo(Duration.ofNanos(1));
        assertThat(options)
                .hasToString("ConnectionOptions[startUpLimit=" + most
                        + ", livenessLimit=PT0.000000001S, probeInterval=PT3S, probeSpacing=PT2S, retryMax=PT2S,"
                        + " factsInterval=PT5S, socketPollInterval=PT6S, nodeInfoSpacing=PT7S]");
        ConnectionOptions.Builder builder = ConnectionOptions.builder();
        refused(() -> builder.startUpLimit(most.plusNanos(1)), "startUpLimit");
        refused(() -> builder.startUpLimit(Duration.ZERO), "startUpLimit");
        builder.probeSpacing(Duration.ofSeconds(2));
        refused(() -> builder.retryMax(Duration.ofSeconds(2).minusNanos(1)).build(), "probeSpacing PT2S must not");
        builder.retryMax(Duration.ofSeconds(2)).probeInterval(Duration.ofSeconds(2));
        assertThat(builder.build().probeInterval()).isEqualTo(Duration.ofSeconds(2));
        refused(() -> builder.probeInterval(Duration.ofSeconds(1)).build(), "probeInterval PT1S");
    }

    @Test
    void optionsOfRetriesArePositiveAndAtMostLongestTime() {
        RetryOptions.Builder builder = RetryOptions.builder();
        assertThat(builder.budget(LONGEST).build().budget()).contains(LONGEST);
        refused(() -> builder.budget(LONGEST.plusNanos(1)), "budget");
        refused(() -> builder.budget(Duration.ZERO), "budget");
        assertThat(builder.attemptShare(1).build().attemptShare()).isEqualTo(1);
        refused(() -> builder.attemptShare(0), "attemptShare");
        refused(() -> builder.attemptShare(1.01), "attemptShare");
        refused(() -> builder.attemptShare(Double.NaN), "attemptShare");
        assertThat(builder.maxAttempts(1).build().maxAttempts()).isEqualTo(1);
        refused(() -> builder.maxAttempts(0), "maxAttempts");
        builder.initialBackoff(Duration.ofSeconds(7)).maxBackoff(Duration.ofSeconds(7));
        assertThat(builder.build().initialBackoff()).isEqualTo(Duration.ofSeconds(7));
        refused(() -> builder.maxBackoff(Duration.ofSeconds(6)).build(), "maxBackoff: PT6S is shorter");
        assertThat(RetryOptions.ofDefaults().budget()).isEmpty();
        assertThat(RetryOptions.none().maxAttempts()).isEqualTo(1);
    }

    @Test
    void ordersAreComparedByTheirBlockTime() {
        VolumeOrder order = VolumeOrder.oneAtATime();
        assertThat(order.ordered()).isTrue();
        assertThat(order.blockTime(VolumeOrder.DEFAULT_BLOCK_TIME))
                .isEqualTo(order)
                .hasSameHashCodeAs(order);
        assertThat(order.blockTime(LONGEST).blockTime()).isEqualTo(LONGEST);
        refused(() -> order.blockTime(LONGEST.plusNanos(1)), "blockTime");
        assertThat(order.blockTime(Duration.ZERO)).isNotEqualTo(order).isNotEqualTo(VolumeOrder.unordered());
        assertThat(order).isNotEqualTo("one at a time").hasToString("VolumeOrder[one at a time, blockTime=PT10M]");
        assertThat(VolumeOrder.unordered().ordered()).isFalse();
        assertThat(VolumeOrder.unordered()).hasToString("VolumeOrder[unordered]");
    }

    @Test
    void mountRootOfAllPluginsIsApartFromSockets() {
        PluginPaths paths = PluginPaths.under(Path.of("/base/./csi"));
        assertThat(paths).hasToString("PluginPaths[/base/csi]");
        assertThat(paths.mountRoot(PluginId.of("p"))).isEqualTo(Path.of("/base/csi/mounts/p"));
        assertThat(paths.withMountRoot(Path.of("/data/../volumes")).mountRoot(PluginId.of("p")))
                .isEqualTo(Path.of("/volumes"));
        assertThat(paths.withMountRoot(Path.of("/volumes")).socket(KEY)).isEqualTo(paths.socket(KEY));
        for (String root : List.of("volumes", "/base/csi/sockets", "/base/csi/sockets/x", "/base/csi", "/base", "/")) {
            refused(() -> paths.withMountRoot(Path.of(root)), "the mount root " + root + " has to be");
        }
        refused(() -> PluginPaths.under(Path.of("csi")), "the directory csi is a relative path");
    }

    @Test
    void pathsOfRegistrationAreAbsolute() {
        Path absolute = Path.of("/x");
        Path relative = Path.of("x");
        assertThat(MountRoot.same(absolute)).isEqualTo(new MountRoot(absolute, absolute));
        refused(() -> new MountRoot(relative, absolute), "must both be absolute");
        refused(() -> new MountRoot(absolute, relative), "must both be absolute");
        refused(() -> PluginRegistration.of(KEY, relative), "the socket x of " + KEY + " is a relative path");
        PluginRegistration fake = PluginRegistration.of(KEY, Endpoint.parse("inprocess:///fake"));
        assertThatThrownBy(fake::socket).isInstanceOf(IllegalStateException.class);
        refused(() -> new PluginTask(KEY, absolute, relative, false), "must be absolute paths");
        refused(() -> new PluginTask(KEY, relative, absolute, false), "must be absolute paths");
    }

    @Test
    void twentyVolumesThatNeedPluginAreNamed() {
        List<VolumeKey> volumes = IntStream.range(0, 21)
                .mapToObj(i -> VolumeKey.of("ns", "v" + i))
                .toList();
        assertThat(PluginInUseException.message(KEY, volumes.subList(0, 20)))
                .contains("20 volume(s)")
                .contains("ns/v19; unmount")
                .doesNotContain("more");
        assertThat(PluginInUseException.message(KEY, volumes)).contains("ns/v19 and 1 more; unmount");
        assertThat(new PluginInUseException(KEY, new IllegalStateException("no state")))
                .hasMessageContaining("no state; try again")
                .satisfies(e -> assertThat(e.volumes()).isEmpty());
    }

    @Test
    void policyAdvisesRestartAfterItsLimits() {
        RestartPolicy startUp = RestartPolicy.ofDefaults();
        assertThat(startUp.advises(ExceededLimit.START_UP)).isTrue();
        assertThat(startUp.advises(ExceededLimit.LIVENESS)).isFalse();
        RestartPolicy liveness = new RestartPolicy(false, true);
        assertThat(liveness.advises(ExceededLimit.START_UP)).isFalse();
        assertThat(liveness.advises(ExceededLimit.LIVENESS)).isTrue();
    }
}
