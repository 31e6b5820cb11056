package io.csi4j.core.capability;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The one record of all kinds of capabilities. */
class CapabilitiesTest {
    private static final List<WireEnum> ONE_OF_EACH_KIND = List.of(
            PluginService.CONTROLLER_SERVICE,
            VolumeExpansion.OFFLINE,
            ControllerCapability.EXPAND_VOLUME,
            GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT,
            NodeCapability.EXPAND_VOLUME);

    private static final Capabilities ALL = Capabilities.unknown()
            .withServices(PluginService.values())
            .withVolumeExpansion(VolumeExpansion.values())
            .withController(ControllerCapability.values())
            .withGroupController(GroupControllerCapability.values())
            .withNode(NodeCapability.values());

    private static final Capabilities NONE = Capabilities.unknown()
            .withServices()
            .withVolumeExpansion()
            .withController()
            .withGroupController()
            .withNode();

    @Test
    void capabilityOfEachKindIsReportedMissingOrUnknown() {
        assertThat(ONE_OF_EACH_KIND).hasSameSizeAs(Capabilities.class.getRecordComponents());
        for (WireEnum one : ONE_OF_EACH_KIND) {
            assertThat(ALL.has(one) && !ALL.lacks(one)).isTrue();
            assertThat(!NONE.has(one) && NONE.lacks(one)).isTrue();
            assertThat(Capabilities.unknown().has(one)).isFalse();
            assertThat(Capabilities.unknown().lacks(one)).isFalse();
        }
    }

    @Test
    void reportedKindsReplaceKnownOnesAndOthersStay() {
        assertThat(Capabilities.unknown().or(ALL)).isEqualTo(ALL);
        assertThat(NONE.or(ALL)).isEqualTo(NONE);
        assertThat(ALL.or(Capabilities.unknown())).isEqualTo(ALL);
    }

    /** A fingerprint has no place for them; a round trip must not lose what an instance or facts contain. */
    @Test
    void instancesAndFactsDoNotContainThoseOfGroupController() {
        InstanceKey key = new InstanceKey(NodeId.of("n1"), PluginId.of("ebs"), PluginType.MONOLITH, Optional.empty());
        PluginInstance instance =
                PluginInstance.builder(key, Instant.EPOCH).capabilities(ALL).build();
        PluginFacts facts = new PluginFacts(key.pluginId(), Optional.empty(), Optional.empty(), ALL, Optional.empty());
        for (Capabilities held : List.of(instance.capabilities(), facts.capabilities())) {
            assertThat(held.groupController()).isEmpty();
            assertThat(held.withGroupController(GroupControllerCapability.values()))
                    .isEqualTo(ALL);
        }
    }
}
