package io.csi4j.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract of all requests, for each of their fields: the accessor returns the builder's value, equality
 * compares it, {@code toString} names it, and {@code toBuilder}, where there is one, keeps it.
 */
class RequestContractTest {
    /** CSI gives their requests no fields, so their methods have no parameter. */
    static final Set<Rpc> WITHOUT_FIELDS = EnumSet.of(
            Rpc.GET_PLUGIN_INFO,
            Rpc.GET_PLUGIN_CAPABILITIES,
            Rpc.PROBE,
            Rpc.CONTROLLER_GET_CAPABILITIES,
            Rpc.GROUP_CONTROLLER_GET_CAPABILITIES,
            Rpc.NODE_GET_CAPABILITIES,
            Rpc.NODE_GET_INFO);

    /** The request of every RPC, so that none can be left out, and the values that are built alike. */
    static Stream<Class<?>> built() {
        Stream<Class<?>> values =
                Stream.of(ExternalVolume.class, Snapshot.class, VolumeGroupSnapshot.class, MountVolume.class);
        Stream<Class<?>> requests = Arrays.stream(Rpc.values())
                .filter(rpc -> !WITHOUT_FIELDS.contains(rpc))
                .map(rpc -> message(rpc.csiName() + "Request"));
        return Stream.concat(requests, values);
    }

    private static Class<?> message(String name) {
        try {
            return Class.forName("io.csi4j.core.rpc." + name);
        } catch (ClassNotFoundException missing) {
            throw new AssertionError("no class for " + name, missing);
        }
    }

    private static Optional<Method> builderMethod(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals("builder") && Modifier.isStatic(method.getModifiers()))
                .findFirst();
    }

    @Test
    void thisTestCoversAll36Requests() {
        assertThat(built().count() + WITHOUT_FIELDS.size()).isEqualTo(36 + 4);
    }

    @Test
    void unpublishFromAllNodesHasSeparateBuilderWithoutNodeId() {
        ExternalVolumeId volume = ExternalVolumeId.of("vol-1");
        ControllerUnpublishVolumeRequest all =
                ControllerUnpublishVolumeRequest.fromAllNodes(volume).build();

        assertThat(all.nodeId()).isEmpty();
        assertThat(ControllerUnpublishVolumeRequest.fromAllNodes(volume).build())
                .isEqualTo(all)
                .isNotEqualTo(ControllerUnpublishVolumeRequest.builder(volume, ExternalNodeId.of("n1"))
                        .build());
    }

    @Test
    void emptyRequestIsEqualToItselfOnlyAndHasNoFields() {
        assertThat(CsiRequest.empty())
                .isEqualTo(CsiRequest.empty())
                .isNotEqualTo(DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1"))
                        .build())
                .hasToString("EmptyRequest[]");
    }

    @ParameterizedTest
    @MethodSource("built")
    void everyRequestFieldHasAccessorAndIsInEqualsAndToString(Class<?> type) throws Exception {
        Object whole = build(type, Optional.empty());
        assertThat(build(type, Optional.empty()))
                .isEqualTo(whole)
                .hasSameHashCodeAs(whole)
                .hasToString(whole.toString());
        assertThat(whole).isNotEqualTo(null).isNotEqualTo("another thing");

        for (Method setter : setters(type)) {
            Object returned = type.getMethod(setter.getName()).invoke(whole);
            assertThat(returned instanceof Optional<?> optional ? optional.orElseThrow() : returned)
                    .as(setter.getName())
                    .isEqualTo(SampleValues.of(setter, 0));
            assertThat(whole.toString()).contains(setter.getName() + "=");
            assertThat(build(type, Optional.of(setter)))
                    .as("with another " + setter.getName())
                    .isNotEqualTo(whole);
        }
    }

    static Stream<Class<?>> copied() {
        return built().filter(type -> toBuilder(type).isPresent());
    }

    @ParameterizedTest
    @MethodSource("copied")
    void toBuilderKeepsEveryRequestField(Class<?> type) throws Exception {
        Object whole = build(type, Optional.empty());

        Object same = finish(toBuilder(type).orElseThrow().invoke(whole));

        assertThat(same).isEqualTo(whole).isNotSameAs(whole);
    }

    /** With the first samples, and the second one of one field. */
    private static Object build(Class<?> type, Optional<Method> other) throws Exception {
        Method builder = builderMethod(type).orElseThrow();
        Object[] required = Arrays.stream(builder.getParameters())
                .map(parameter -> SampleValues.of(parameter.getName(), parameter.getParameterizedType(), 0))
                .toArray();
        Object made = builder.invoke(null, required);
        for (Method setter : setters(type)) {
            setter.invoke(made, SampleValues.of(setter, other.equals(Optional.of(setter)) ? 1 : 0));
        }
        return finish(made);
    }

    private static Optional<Method> toBuilder(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals("toBuilder"))
                .findFirst();
    }

    private static Object finish(Object builder) throws Exception {
        return builder.getClass().getMethod("build").invoke(builder);
    }

    private static List<Method> setters(Class<?> type) throws Exception {
        Class<?> builder = Class.forName(type.getName() + "$Builder");
        List<Method> setters = Arrays.stream(builder.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && method.getParameterCount() == 1)
                .toList();
        assertThat(setters).isNotEmpty();
        return setters;
    }
}
