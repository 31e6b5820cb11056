package io.csi4j.core.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Operators read no character that hides text or changes its order. */
class ShownTextTest {
    private static final String RAW = "a\u202eb\u200bc\u2066d\ufeffe\u00adf";
    private static final String PRINTABLE = "a\\u202Eb\\u200Bc\\u2066d\\uFEFFe\\u00ADf";

    @Test
    void printableTextShowsFormatAndControlCharactersAsEscapeSequences() {
        assertThat(Text.printable(RAW)).isEqualTo(PRINTABLE);
        assertThat(Text.printable("line\nand\ttab\r\u0007\u2028\ud800"))
                .isEqualTo("line\\nand\\ttab\\r\\u0007\\u2028\\uD800");
        assertThat(Text.printable("Größe \u65e5\u672c \ud83d\ude00")).isEqualTo("Größe \u65e5\u672c \ud83d\ude00");
    }

    static Stream<Function<String, Object>> values() {
        return Stream.of(
                AllocationId::of,
                Namespace::of,
                NodeId::of,
                PluginId::of,
                VolumeId::of,
                text -> VolumeKey.of("default", text),
                text -> DeploymentId.of("default", text),
                ExternalVolumeId::of,
                ExternalNodeId::of,
                SnapshotId::of,
                GroupSnapshotId::of,
                MountOptions::of,
                text -> new MountOptions("", MountFlags.empty(), text),
                text -> MountVolume.builder().fsType(text).build(),
                text -> MountVolume.builder().volumeMountGroup(text).build(),
                text -> new Topology(Map.of("k", text)),
                text -> new Topology(Map.of(text, "v")),
                text -> new VolumeCondition(true, text),
                text -> VolumeSpec.builder(PluginId.of("p")).name(text).restore(),
                text -> new NodeCommand.SetNodeStatus(NodeId.of(text), NodeStatus.DOWN, "maintenance", Instant.EPOCH));
    }

    @ParameterizedTest
    @MethodSource("values")
    void toStringOfIdShowsFormatCharactersAsEscapeSequences(Function<String, Object> factory) {
        assertThat(factory.apply(RAW).toString()).contains(PRINTABLE).doesNotContain("\u202e", "\u200b", "\u2066");
    }
}
