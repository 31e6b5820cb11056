package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.AbnormalVolume;
import io.csi4j.core.lifecycle.HealthVerdict;
import io.csi4j.core.lifecycle.StorageHealthReport;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeStorage;
import io.csi4j.testkit.capability.FakeCapability;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A host asks its engine how volumes and storage are, of plugins of both models, over the wire (X5). */
class AgentHealthTest {
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final VolumeKey KEY = VolumeKey.of("default", "db");

    /** What a plugin speaks. */
    enum Model {
        CONDITION,
        HEALTH;

        Set<FakeCapability> offered() {
            return this == CONDITION ? FakeCapability.csi112() : FakeCapability.csi113();
        }
    }

    private Ground ground;
    private NodeAgent agent;
    private FakeStorage storage;
    private FakeCsiPlugin plugin;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        Endpoint listen = ground.unix("agent-socket");
        Endpoint server = ground.unix("server");
        ground.start(ground.server().listenToAgent(server, NODE));
        agent = ground.start(ground.agent(listen, server));
        ground.routes.put(NODE, NodeRoute.direct(listen));
        storage = FakeStorage.inMemory();
    }

    @AfterEach
    void stop() {
        ground.close();
        if (plugin != null) {
            plugin.close();
        }
    }

    /** A volume that is mounted for an allocation, through a plugin of that model. */
    private ExternalVolumeId mounted(Model model) throws Exception {
        PluginTask task = PluginTask.onHost(Ground.MONOLITH);
        plugin = FakeCsiPlugin.builder()
                .storage(storage)
                .capabilities(model.offered())
                .nodeId("ext-1")
                .build()
                .startOn("unix://" + agent.preparePlugin(task).registration().socket());
        get(agent.pluginStarted(task));
        get(agent.plugins().waitForHealthy(PluginRole.NODE, PLUGIN, Ground.PATIENCE));
        ground.knows(true);
        ExternalVolumeId id = get(ground.lifecycle
                        .volumes()
                        .create(
                                KEY,
                                VolumeSpec.builder(PLUGIN)
                                        .requestedCapabilities(List.of(Ground.WRITER))
                                        .build()))
                .remoteId();
        ground.running(WEB.value());
        get(agent.prepare(WEB, List.of(Ground.writing(KEY))));
        return id;
    }

    @ParameterizedTest
    @EnumSource
    void controllerAndNodeReportSameHealth(Model model) throws Exception {
        ExternalVolumeId id = mounted(model);
        assertThat(get(ground.lifecycle.volumes().health(KEY)).verdict()).isEqualTo(HealthVerdict.HEALTHY);
        assertThat(get(ground.lifecycle.volumes().health(KEY, WEB)).verdict()).isEqualTo(HealthVerdict.HEALTHY);
        assertThat(get(ground.lifecycle.volumes().listAbnormal(PLUGIN, 0, "")).entries())
                .isEmpty();

        storage.makeAbnormal(id.value(), VolumeHealthStatus.DEGRADED.number(), "Rebuild", "a copy is missing");
        VolumeHealthReport observed = get(ground.lifecycle.volumes().health(KEY));
        assertThat(observed.verdict()).isEqualTo(HealthVerdict.ABNORMAL);
        assertThat(observed.entries()).extracting(VolumeHealthEntry::message).containsExactly("a copy is missing");
        assertThat(get(ground.lifecycle.volumes().health(KEY, WEB))).isEqualTo(observed);
        assertThat(get(ground.lifecycle.volumes().listAbnormal(PLUGIN, 0, "")).entries())
                .containsExactly(new AbnormalVolume(id, observed));
        assertThat(observed.entries().get(0).status())
                .isEqualTo(model == Model.HEALTH ? VolumeHealthStatus.DEGRADED : VolumeHealthStatus.UNKNOWN);

        storage.makeHealthy(id.value());
        assertThat(get(ground.lifecycle.volumes().health(KEY, WEB)).verdict()).isEqualTo(HealthVerdict.HEALTHY);
    }

    @ParameterizedTest
    @EnumSource
    void volumeUsageIsReportedByCsi112AndCsi113Plugins(Model model) throws Exception {
        ExternalVolumeId unused = mounted(model);
        assertThat(get(ground.lifecycle.volumes().stats(KEY, WEB)).usage())
                .isNotEmpty()
                .extracting(VolumeUsage::total)
                .allMatch(total -> total >= 0);
    }

    @ParameterizedTest
    @EnumSource
    void storageHealthIsReportedOnlyByCsi113Plugins(Model model) throws Exception {
        ExternalVolumeId unused = mounted(model);
        StorageHealthReport report = get(ground.lifecycle.operator().storageHealth(PLUGIN, NODE));
        assertThat(report.verdict())
                .isEqualTo(model == Model.HEALTH ? HealthVerdict.HEALTHY : HealthVerdict.NOT_REPORTED);
        assertThat(report.entries()).isEmpty();
    }
}
