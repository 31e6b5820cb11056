package io.csi4j.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each response, and each part of one, is a record: its components are returned, compared, named and copied, and none may be null. */
class ResponseContractTest {
    private static final String CANARY = "canary-Qx71";

    static Stream<Class<?>> records() {
        Stream<Class<?>> parts =
                Stream.of(ListVolumesResponse.Entry.class, ValidateVolumeCapabilitiesResponse.Confirmed.class);
        return Stream.concat(responses(), parts);
    }

    private static Stream<Class<?>> responses() {
        return Arrays.stream(Rpc.values()).<Class<?>>flatMap(rpc -> {
            try {
                return Stream.of(Class.forName("io.csi4j.core.rpc." + rpc.csiName() + "Response"));
            } catch (ClassNotFoundException withoutFields) {
                return Stream.<Class<?>>of();
            }
        });
    }

    @Test
    void all27ResponsesWithFieldsAreRecords() {
        assertThat(responses()).hasSize(27).allMatch(Class::isRecord);
    }

    @ParameterizedTest
    @MethodSource("records")
    void everyResponseComponentIsInEqualsAndToString(Class<?> type) throws Exception {
        Object[] values = values(type, 0);
        Object whole = create(type, values);
        assertThat(create(type, values(type, 0))).isEqualTo(whole).hasSameHashCodeAs(whole);

        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            String name = components[i].getName();
            assertThat(components[i].getAccessor().invoke(whole)).as(name).isEqualTo(values[i]);
            assertThat(whole.toString()).contains(name + "=");
            Object[] others = values.clone();
            others[i] = SampleValues.of(name, components[i].getGenericType(), 1);
            assertThat(create(type, others)).as("with another " + name).isNotEqualTo(whole);
        }
    }

    @ParameterizedTest
    @MethodSource("records")
    void messageOfExceptionForNullComponentIsComponentName(Class<?> type) throws Exception {
        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            if (components[i].getType().isPrimitive()) {
                continue;
            }
            Object[] values = values(type, 0);
            values[i] = null;
            assertThatThrownBy(() -> create(type, values))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage(components[i].getName());
        }
    }

    @ParameterizedTest
    @MethodSource("records")
    void responsesCopyTheirCollections(Class<?> type) throws Exception {
        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            Object[] values = values(type, 0);
            Object before = values[i];
            if (before instanceof List<?> list) {
                values[i] = new ArrayList<>(list);
            } else if (before instanceof Map<?, ?> map) {
                values[i] = new LinkedHashMap<>(map);
            } else {
                continue;
            }
            Object response = create(type, values);
            clear(values[i]);
            assertThat(components[i].getAccessor().invoke(response)).isEqualTo(before);
            Object kept = components[i].getAccessor().invoke(response);
            assertThatThrownBy(() -> clear(kept)).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    private static void clear(Object collection) {
        if (collection instanceof List<?> list) {
            list.clear();
        } else {
            ((Map<?, ?>) collection).clear();
        }
    }

    @Test
    void toStringHidesContextsAndMountFlags() {
        VolumeContext context = VolumeContext.of(Map.of("share", CANARY));
        ExternalVolume volume = ExternalVolume.builder(ExternalVolumeId.of("vol-1"))
                .volumeContext(context)
                .build();
        VolumeCapability capability = VolumeCapability.mount(
                VolumeAccessMode.SINGLE_NODE_WRITER,
                MountVolume.builder()
                        .mountFlags(MountFlags.of("password=" + CANARY))
                        .build());
        List<Object> responses = List.of(
                new CreateVolumeResponse(volume),
                new ControllerGetVolumeResponse(volume, Optional.empty()),
                new ListVolumesResponse(List.of(new ListVolumesResponse.Entry(volume, Optional.empty())), ""),
                new ControllerPublishVolumeResponse(PublishContext.of(Map.of("lun", CANARY))),
                new ValidateVolumeCapabilitiesResponse(
                        Optional.of(new ValidateVolumeCapabilitiesResponse.Confirmed(
                                context, List.of(capability), Map.of(), Map.of())),
                        ""),
                new NodeGetStorageHealthResponse(List.of(new StorageBackendHealth(
                        StorageHealthStatus.UNKNOWN, 9, "New", "new", Optional.of(capability)))));

        assertThat(responses)
                .allSatisfy(response ->
                        assertThat(response.toString()).contains("not shown]").doesNotContain(CANARY));
    }

    private static Object[] values(Class<?> type, int sample) {
        return Arrays.stream(type.getRecordComponents())
                .map(component -> SampleValues.of(component.getName(), component.getGenericType(), sample))
                .toArray();
    }

    /** By the constructor of all components. */
    private static Object create(Class<?> type, Object[] values) throws Exception {
        Constructor<?> constructor = type.getConstructor(Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new));
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException refused) {
            if (refused.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw refused;
        }
    }
}
