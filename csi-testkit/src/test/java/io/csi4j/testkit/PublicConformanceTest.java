package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.testkit.capability.FakeCapability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the public conformance suite for CSI plugins asks: with mount and block volumes, with all capabilities over a
 * real socket, and with each one off in turn. CONTROLLER_SERVICE and CREATE_DELETE_VOLUME cannot be left out:
 * the suite creates volumes without asking whether it may. Takes more than 20 seconds: 5,760 cases, one for each check
 * and set of capabilities.
 */
class PublicConformanceTest {
    private static final Set<FakeCapability> NEEDED_BY_THE_SUITE =
            Set.of(FakeCapability.CONTROLLER_SERVICE, FakeCapability.CREATE_DELETE_VOLUME);

    @TempDir
    Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    @TestFactory
    Stream<DynamicContainer> publicConformanceSuitePassesWithEverySetOfCapabilities() throws IOException {
        List<DynamicContainer> variants = new ArrayList<>();
        for (boolean block : new boolean[] {false, true}) {
            String kind = block ? "block" : "mount";
            variants.add(variant(kind + ", defaults", FakeCapability.defaults(), block, true));
            variants.add(variant(kind + ", all of CSI 1.12", FakeCapability.csi112(), block, true));
            variants.add(variant(kind + ", all of CSI 1.13", FakeCapability.csi113(), block, true));
            for (FakeCapability off : FakeCapability.csi113()) {
                if (!NEEDED_BY_THE_SUITE.contains(off)) {
                    variants.add(variant(
                            kind + ", without " + off,
                            FakeCapability.without(FakeCapability.csi113(), off),
                            block,
                            false));
                }
            }
            Set<FakeCapability> offline =
                    FakeCapability.without(FakeCapability.defaults(), FakeCapability.ONLINE_EXPANSION);
            offline.add(FakeCapability.OFFLINE_EXPANSION);
            variants.add(variant(kind + ", expansion offline", offline, block, false));
        }
        return variants.stream();
    }

    private DynamicContainer variant(String name, Set<FakeCapability> on, boolean block, boolean socket)
            throws IOException {
        Path home = Files.createTempDirectory(directory, "v");
        FakeCsiPlugin plugin =
                FakeCsiPlugin.builder().capabilities(on).attachLimit(3).build();
        // The sets with something off are many, and the way to the plugin makes no difference to them.
        PluginClient client = socket
                ? PluginClient.on(
                        plugin.startOn("unix://" + home.resolve("p.sock")).endpoint())
                : PluginClient.inProcess(plugin.startInProcess());
        open.add(client);
        open.add(plugin);
        List<DynamicTest> tests = new ArrayList<>();
        for (Map.Entry<String, ConformanceCases.Case> one :
                ConformanceCases.all().entrySet()) {
            tests.add(dynamicTest(one.getKey(), () -> {
                ConformanceRun run = new ConformanceRun(client, on, block, home);
                try {
                    one.getValue().run(run);
                } finally {
                    run.cleanUp();
                }
                assertThat(plugin.storage().volumeIds()).isEmpty();
                assertThat(plugin.storage().snapshotIds()).isEmpty();
                assertThat(plugin.overlappingCalls()).isZero();
            }));
        }
        return dynamicContainer(name, tests);
    }
}
