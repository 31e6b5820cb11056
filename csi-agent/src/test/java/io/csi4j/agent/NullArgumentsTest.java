package io.csi4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.Cluster;
import io.csi4j.core.lifecycle.GroupSnapshotRequest;
import io.csi4j.core.lifecycle.ManagedVolumes;
import io.csi4j.core.lifecycle.OperatorActions;
import io.csi4j.core.lifecycle.VolumeClaims;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.VolumeLifecycleBuilder;
import io.csi4j.core.lifecycle.VolumeSnapshots;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.NodeVolumes;
import io.csi4j.node.VolumeMounter;
import io.csi4j.node.WorkloadVolumes;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each public method and constructor of the types that a host calls names the parameter that is null, at once. */
class NullArgumentsTest {
    private static final int DEPTH = 6;

    /** Where a factory cannot be guessed, or would do too much. */
    private static final Map<Class<?>, Object> SAMPLES = Map.ofEntries(
            Map.entry(String.class, "x"),
            Map.entry(Object.class, "x"),
            Map.entry(int.class, 1),
            Map.entry(long.class, 1L),
            Map.entry(boolean.class, false),
            Map.entry(double.class, 0.5),
            Map.entry(byte[].class, new byte[0]),
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(List.class, List.of()),
            Map.entry(Set.class, Set.of()),
            Map.entry(Map.class, Map.of()),
            Map.entry(Duration.class, Duration.ofSeconds(1)),
            Map.entry(Instant.class, Instant.EPOCH),
            Map.entry(Path.class, Path.of("/tmp")),
            Map.entry(URI.class, URI.create("unix:///tmp/x.sock")),
            Map.entry(Principal.class, (Principal) () -> "x"),
            Map.entry(
                    VolumeSpec.class,
                    VolumeSpec.builder(PluginId.of("p"))
                            .requestedCapabilities(
                                    List.of(RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)))
                            .build()),
            Map.entry(
                    GroupSnapshotRequest.class,
                    new GroupSnapshotRequest("g", List.of(VolumeKey.of("default", "v")), Map.of())),
            Map.entry(Endpoint.class, Endpoint.parse("unix:///tmp/x.sock")));

    private static final List<Class<?>> IDS = List.of(
            AllocationId.class,
            DeploymentId.class,
            Namespace.class,
            NodeId.class,
            PluginId.class,
            VolumeId.class,
            VolumeKey.class);

    private final Map<Class<?>, Object> samples = new HashMap<>(SAMPLES);
    private Ground ground;
    private NodeAgent agent;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        agent = ground.start(ground.agent(ground.unix("agent-socket"), ground.unix("server")));
        samples.put(VolumeLifecycle.class, ground.lifecycle);
        samples.put(VolumeMounter.class, agent.volumes());
        samples.put(StateStore.class, ground.store);
        samples.put(PluginRegistry.class, agent.plugins());
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    private Map<Class<?>, @Nullable Object> tested() {
        Map<Class<?>, @Nullable Object> tested = new LinkedHashMap<>();
        tested.put(VolumeLifecycle.class, ground.lifecycle);
        tested.put(VolumeClaims.class, ground.lifecycle.claims());
        tested.put(ManagedVolumes.class, ground.lifecycle.volumes());
        tested.put(VolumeSnapshots.class, ground.lifecycle.snapshots());
        tested.put(Cluster.class, ground.lifecycle.cluster());
        tested.put(OperatorActions.class, ground.lifecycle.operator());
        tested.put(VolumeLifecycleBuilder.class, VolumeLifecycle.builder());
        tested.put(FeasibleNodes.class, FeasibleNodes.in(ground.store.snapshot()));
        tested.put(StateStore.class, ground.store);
        tested.put(LocalCommandLog.class, ground.log);
        tested.put(RemoteNodeGateway.class, ground.gateway);
        tested.put(RemoteNodeGatewayBuilder.class, RemoteNodeGateway.builder(node -> Optional.empty()));
        tested.put(AgentServer.class, null);
        tested.put(AgentServerBuilder.class, ground.server());
        tested.put(NodeAgent.class, agent);
        tested.put(NodeAgentBuilder.class, ground.agent(ground.unix("other"), ground.unix("server")));
        tested.put(NodeVolumes.class, agent.volumes());
        tested.put(WorkloadVolumes.class, null);
        tested.put(PluginRegistry.class, agent.plugins());
        tested.put(CsiClient.class, null);
        IDS.forEach(type -> tested.put(type, null));
        return tested;
    }

    @Test
    void nullArgumentIsRefusedAtOnceWithParameterName() {
        List<String> wrong = new ArrayList<>();
        List<String> right = new ArrayList<>();
        tested().forEach((type, instance) -> Stream.concat(
                        Stream.of(type.getConstructors()),
                        Stream.of(type.getDeclaredMethods())
                                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                                .filter(method -> instance != null || Modifier.isStatic(method.getModifiers()))
                                .filter(method -> !method.getName().equals("equals")))
                .sorted(Comparator.comparing(Executable::toGenericString))
                .forEach(called -> call(called, instance, right, wrong)));
        assertThat(wrong).isEmpty();
        assertThat(right).as("parameters that were tried").hasSizeGreaterThan(150);
    }

    /** Once for each parameter that may not be null. */
    private void call(Executable called, @Nullable Object instance, List<String> right, List<String> wrong) {
        Parameter[] parameters = called.getParameters();
        for (int tried = 0; tried < parameters.length; tried++) {
            Parameter parameter = parameters[tried];
            if (parameter.getType().isPrimitive()
                    || parameter.isVarArgs()
                    || parameter.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                continue;
            }
            Object[] arguments = new Object[parameters.length];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = i == tried ? null : sample(parameters[i].getType(), DEPTH);
            }
            String what = called.toGenericString() + " with null as " + parameter.getName();
            Throwable thrown = thrown(called, instance, arguments);
            if (thrown instanceof NullPointerException && parameter.getName().equals(thrown.getMessage())) {
                right.add(what);
            } else {
                wrong.add(what + " -> " + thrown);
            }
        }
    }

    private static @Nullable Throwable thrown(Executable called, @Nullable Object instance, Object[] arguments) {
        try {
            called.setAccessible(true);
            if (called instanceof Method method) {
                method.invoke(instance, arguments);
            } else {
                ((Constructor<?>) called).newInstance(arguments);
            }
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (IllegalAccessException | InstantiationException e) {
            throw new LinkageError(called + " cannot be called", e);
        }
    }

    /** Some value of a type: planned, proxied, or from the public static factory or constructor with fewest parameters. */
    private Object sample(Class<?> type, int depth) {
        Object planned = samples.get(type);
        if (planned != null) {
            return planned;
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        if (depth == 0) {
            throw new AssertionError("no sample of " + type);
        }
        List<Throwable> failures = new ArrayList<>();
        Optional<Object> built = built(type, depth, failures);
        if (built.isPresent()) {
            return built.get();
        }
        for (Method factory : factories(type)) {
            try {
                return Objects.requireNonNull(factory.invoke(null, samples(factory.getParameterTypes(), depth)));
            } catch (ReflectiveOperationException | AssertionError | RuntimeException e) {
                failures.add(e);
            }
        }
        for (var constructor : type.getConstructors()) {
            try {
                return constructor.newInstance(samples(constructor.getParameterTypes(), depth));
            } catch (ReflectiveOperationException | AssertionError | RuntimeException e) {
                failures.add(e);
            }
        }
        if (type.isInterface()) {
            return Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
        }
        throw new AssertionError("no sample of " + type + ": " + failures);
    }

    private Object[] samples(Class<?>[] types, int depth) {
        return Arrays.stream(types).map(each -> sample(each, depth - 1)).toArray();
    }

    private static List<Method> factories(Class<?> type) {
        return Stream.of(type.getMethods())
                .filter(method -> Modifier.isStatic(method.getModifiers())
                        && type.isAssignableFrom(method.getReturnType())
                        && method.getDeclaringClass() == type)
                .sorted(Comparator.comparingInt(Method::getParameterCount).thenComparing(Method::toGenericString))
                .toList();
    }

    /** By a builder. */
    private Optional<Object> built(Class<?> type, int depth, List<Throwable> failures) {
        for (Method method : type.getMethods()) {
            if (Modifier.isStatic(method.getModifiers()) && method.getName().equals("builder")) {
                try {
                    Object builder = method.invoke(null, samples(method.getParameterTypes(), depth));
                    return Optional.of(builder.getClass().getMethod("build").invoke(builder));
                } catch (ReflectiveOperationException | AssertionError | RuntimeException unfit) {
                    failures.add(unfit);
                }
            }
        }
        return Optional.empty();
    }
}
