package io.csi4j.core.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rows of the state are records: no component may be null, and none shows what is sensitive. */
class RowContractTest {
    private static final String CANARY = "canary-Wt52";
    private static final RequestedCapability CAPABILITY =
            RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final MountOptions OPTIONS = new MountOptions("ext4", MountFlags.of("password=" + CANARY), "");
    private static final OperatorOverride OVERRIDE = new OperatorOverride("eve", CANARY, Instant.EPOCH);

    static Stream<Record> rows() {
        return Stream.of(
                Claim.builder(AllocationId.of("a"), NodeId.of("n"), ClaimMode.WRITE, CAPABILITY)
                        .mountOptions(OPTIONS)
                        .operatorOverride(OVERRIDE)
                        .build(),
                Attachment.builder(NodeId.of("n"), CAPABILITY)
                        .mountOptions(OPTIONS)
                        .publishContext(PublishContext.of(Map.of("lun", CANARY)))
                        .operatorOverride(OVERRIDE)
                        .build(),
                Expansion.to(CapacityRange.atLeast(1)),
                ProviderFacts.builder()
                        .volumeContext(VolumeContext.of(Map.of("share", CANARY)))
                        .build(),
                PluginFacts.none(PluginId.of("p")),
                PluginInstance.builder(
                                new InstanceKey(
                                        NodeId.of("n"), PluginId.of("p"), PluginType.CONTROLLER, Optional.empty()),
                                Instant.EPOCH)
                        .health(false, CANARY)
                        .build());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void nullComponentIsRejectedWithErrorThatContainsComponentName(Record row) throws Exception {
        RecordComponent[] components = row.getClass().getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            if (components[i].getType().isPrimitive()) {
                continue;
            }
            Object[] values = values(row);
            values[i] = null;
            assertThatThrownBy(() -> create(row.getClass(), values))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage(components[i].getName());
        }
        assertThat(create(row.getClass(), values(row))).isEqualTo(row).hasSameHashCodeAs(row);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void toStringOfRowHidesSensitiveValues(Record row) {
        assertThat(row.toString())
                .startsWith(row.getClass().getSimpleName() + "[")
                .doesNotContain(CANARY);
    }

    @Test
    void takenIndexOfClaimIsAtLeastItsCreateIndex() {
        Claim claim = Claim.builder(AllocationId.of("a"), NodeId.of("n"), ClaimMode.WRITE, CAPABILITY)
                .createIndex(7)
                .takenIndex(3)
                .build();

        assertThat(claim.takenIndex()).isEqualTo(7);
    }

    @Test
    void laterChangeOfMapPassedToExpansionDoesNotChangeExpansion() {
        SortedMap<AllocationId, Expansion.OnNode> nodes = new TreeMap<>();
        Expansion expansion = new Expansion(CapacityRange.atLeast(1), Expansion.Stage.NODES, Retry.none(), nodes);
        nodes.put(AllocationId.of("a"), new Expansion.OnNode(1, true, 1, Retry.none()));

        assertThat(expansion.nodes()).isEmpty();
        assertThatThrownBy(() -> expansion.nodes().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void negativeCapacityReportedByPluginIsRejected() {
        assertThatThrownBy(() ->
                        new ProviderFacts(Optional.empty(), -1, List.of(), VolumeContext.empty(), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("capacityBytes is -1");
    }

    private static Object[] values(Record row) throws ReflectiveOperationException {
        RecordComponent[] components = row.getClass().getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = components[i].getAccessor().invoke(row);
        }
        return values;
    }

    private static Object create(Class<?> type, Object[] values) throws Exception {
        try {
            return type.getConstructor(Arrays.stream(type.getRecordComponents())
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new))
                    .newInstance(values);
        } catch (InvocationTargetException refused) {
            if (refused.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw refused;
        }
    }
}
