package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.id.PluginId;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

class NodeVolumeOptionsTest {
    @Test
    void builderSetsEveryOption() {
        NodeVolumeOptions options = NodeVolumeOptions.builder()
                .mountLimit(Duration.ofSeconds(1))
                .unmountLimit(Duration.ofSeconds(2))
                .firstRetry(Duration.ofSeconds(3))
                .longestRetry(Duration.ofSeconds(4))
                .pluginPoll(Duration.ofSeconds(5))
                .probeLimit(Duration.ofSeconds(6))
                .lateWork(Duration.ofSeconds(7))
                .brokenMounts(BrokenMounts.REPAIR)
                .missingSecrets(MissingSecrets.TRY)
                .syncedWrites(false)
                .directUnmount(true)
                .withoutPluginAfter(Duration.ofSeconds(8))
                .publishesWithoutMount(List.of(PluginId.of("fake")))
                .build();

        assertThat(options)
                .hasToString("NodeVolumeOptions[mountLimit=PT1S, unmountLimit=PT2S, firstRetry=PT3S, longestRetry=PT4S,"
                        + " pluginPoll=PT5S, probeLimit=PT6S, lateWork=PT7S, brokenMounts=REPAIR, missingSecrets=TRY,"
                        + " syncedWrites=false, directUnmount=true, withoutPluginAfter=PT8S,"
                        + " publishesWithoutMount=[fake]]");
    }

    @Test
    void defaultsAreThoseOfTheBuilder() {
        assertThat(NodeVolumeOptions.defaults())
                .hasToString("NodeVolumeOptions[mountLimit=PT10M, unmountLimit=PT5M, firstRetry=PT0.5S,"
                        + " longestRetry=PT1M, pluginPoll=PT1S, probeLimit=PT10S, lateWork=PT1H, brokenMounts=REPORT,"
                        + " missingSecrets=REFUSE, syncedWrites=true, directUnmount=false, withoutPluginAfter=PT10M,"
                        + " publishesWithoutMount=[]]")
                .hasToString(NodeVolumeOptions.builder().build().toString());
    }

    @Test
    void durationsHaveToBePositive() {
        List<BiFunction<NodeVolumeOptions.Builder, Duration, NodeVolumeOptions.Builder>> setters = List.of(
                NodeVolumeOptions.Builder::mountLimit,
                NodeVolumeOptions.Builder::unmountLimit,
                NodeVolumeOptions.Builder::firstRetry,
                NodeVolumeOptions.Builder::longestRetry,
                NodeVolumeOptions.Builder::pluginPoll,
                NodeVolumeOptions.Builder::probeLimit,
                NodeVolumeOptions.Builder::lateWork);

        for (var setter : setters) {
            for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
                assertThatThrownBy(() -> setter.apply(NodeVolumeOptions.builder(), wrong))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(" is " + wrong + "; give a duration above zero");
            }
        }
        assertThatThrownBy(() -> NodeVolumeOptions.builder().lateWork(Duration.ZERO))
                .hasMessage("NodeVolumeOptions: lateWork is PT0S; give a duration above zero");
    }

    @Test
    void longestRetryIsAtLeastFirstRetry() {
        NodeVolumeOptions.Builder builder =
                NodeVolumeOptions.builder().firstRetry(Duration.ofSeconds(2)).longestRetry(Duration.ofSeconds(1));

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("NodeVolumeOptions: longestRetry PT1S is shorter than firstRetry PT2S; make it longer");
    }

    @Test
    void longestRetryMayEqualFirstRetry() {
        NodeVolumeOptions options = NodeVolumeOptions.builder()
                .firstRetry(Duration.ofSeconds(2))
                .longestRetry(Duration.ofSeconds(2))
                .build();

        assertThat(options.longestRetry()).isEqualTo(options.firstRetry());
    }

    @Test
    void switchesAreThoseOfTheBuilder() {
        for (boolean on : new boolean[] {true, false}) {
            NodeVolumeOptions options = NodeVolumeOptions.builder()
                    .syncedWrites(on)
                    .directUnmount(on)
                    .build();

            assertThat(options.syncedWrites()).isEqualTo(on);
            assertThat(options.directUnmount()).isEqualTo(on);
        }
    }
}
