package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.spi.VirtualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeVolumesBuilderTest {
    @TempDir
    Path base;

    @Test
    void missingBaseDirectoryIsCreated() throws IOException {
        VirtualTime time = VirtualTime.inOrder();
        Path missing = base.resolve("not/there");
        NodeVolumes volumes = NodeVolumes.builder(missing, id -> Optional.empty())
                .environment(time.environment(new SplittableRandom(1)))
                .mountTable(new ScriptedNode(time, true))
                .build();
        assertThat(missing.resolve("ledger")).isDirectory();
        var unused = volumes.stop();
        time.advance(Duration.ofSeconds(1));
    }

    @Test
    void allocationsCountAsRunningIfTheHostSaysNothingAboutThem() {
        Bench bench = new Bench(base, 1, true);
        bench.done(bench.mount("v", "a"));
        bench.crash();
        bench.node.log.clear();
        NodeVolumes next = bench.another().build();
        bench.done(next.start());
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.node.log).isEmpty();
        assertThat(bench.node.mounts).contains(Path.of(bench.target("v", "a")));
        bench.done(next.stop());
    }

    @Test
    void pluginsNeedTheDirectoriesOfStagingsAndTargets() {
        assertThat(NodeVolumes.pluginDirectories(Path.of("/base")))
                .isEqualTo(List.of(Path.of("/base/staging"), Path.of("/base/publish")));
    }

    @Test
    void pathOfBaseDirectoryInPluginHasToBeAbsolute() {
        ScriptedNode node = new ScriptedNode(VirtualTime.inOrder(), true);
        CapabilitySet<NodeCapability> none = CapabilitySet.of(NodeCapability.class, List.of());
        assertThat(new NodePlugin(node, none, Optional.of(Path.of("/base"))).baseDirectory())
                .contains(Path.of("/base"));
        assertThatThrownBy(() -> new NodePlugin(node, none, Optional.of(Path.of("base"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'base' is not absolute");
    }
}
