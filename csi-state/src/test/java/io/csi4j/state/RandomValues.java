package io.csi4j.state;

import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.SecretHash;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRule;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Creates random commands, outcomes and their parts with their constructors and builders, by reflection. A new record component or builder
 * method is used without a change here. If a constructor refuses a value, another value is created.
 */
final class RandomValues {
    private static final int TRIES = 2_000;
    private static final List<String> CHARACTERS = List.of(
            "a", "b", "Z", "0", "-", "/", ".", " ", "\u00e4", "\u4e00", "\ud83d\ude00", "\u202e", "\u0301", "\ufffd");
    /** Unpaired surrogates, which constructors refuse or replace. */
    private static final List<String> HALVES = List.of("\ud800", "\udc00");

    private final SplittableRandom random;

    RandomValues(SplittableRandom random) {
        this.random = random;
    }

    /** Returns all types that values of a sealed type may have, in the order of their names. */
    static List<Class<?>> kinds(Class<?> type) {
        return (type.isSealed()
                        ? Stream.of(type.getPermittedSubclasses()).flatMap(one -> kinds(one).stream())
                        : Stream.<Class<?>>of(type))
                .sorted(Comparator.comparing(Class::getName))
                .toList();
    }

    <T> T of(Class<T> type) {
        for (int i = 0; i < TRIES; i++) {
            try {
                return type.cast(value(type));
            } catch (RefusedException e) {
                // Creates another value of the type instead.
            }
        }
        throw new AssertionError("no value of " + type + " was accepted");
    }

    /** Reports a value that a constructor refused. */
    private static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RefusedException(Throwable cause) {
            super(cause);
        }
    }

    private Object value(Type type) {
        for (int i = 0; ; i++) {
            try {
                return once(type);
            } catch (RefusedException e) {
                if (i == 3) {
                    throw e;
                }
            }
        }
    }

    private Object once(Type type) {
        if (type instanceof ParameterizedType generic) {
            return generic((Class<?>) generic.getRawType(), generic.getActualTypeArguments());
        }
        Class<?> plain = (Class<?>) type;
        if (plain == String.class) {
            return text();
        } else if (plain == boolean.class) {
            return random.nextBoolean();
        } else if (plain == long.class || plain == Long.class) {
            return number();
        } else if (plain == int.class) {
            return (int) number();
        } else if (plain == Instant.class) {
            return time();
        } else if (plain == Duration.class) {
            return Duration.ofSeconds(random.nextLong(100_000), random.nextInt(1_000_000_000));
        } else if (plain.isEnum()) {
            return plain.getEnumConstants()[random.nextInt(plain.getEnumConstants().length)];
        } else if (plain.isSealed()) {
            List<Class<?>> kinds = kinds(plain);
            return value(kinds.get(random.nextInt(kinds.size())));
        } else if (plain == PluginCommand.FingerprintNode.class) {
            return fingerprint();
        } else if (plain == SecurityLabel.class) {
            return new SecurityLabel("system_u:object_r:t" + random.nextInt(9) + ":s0:c1");
        } else if (plain == AccessTokenRequest.class) {
            return tokenRequest();
        } else if (plain == Topology.class) {
            Map<String, String> segments = new LinkedHashMap<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                segments.put(text(), text());
            }
            return call(() -> new Topology(segments));
        } else if (plain.isRecord()) {
            Class<?>[] types = Arrays.stream(plain.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            Object[] values = Arrays.stream(plain.getRecordComponents())
                    .map(component -> value(component.getGenericType()))
                    .toArray();
            return constructed(plain, types, values);
        }
        return made(plain);
    }

    /** Creates a request for a management token, or for one with policies. */
    private AccessTokenRequest tokenRequest() {
        List<String> policies = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            policies.add("team-" + random.nextInt(20) + ".a_B");
        }
        return new AccessTokenRequest(
                text() + "-",
                policies,
                policies.isEmpty(),
                random.nextBoolean() ? Optional.of(time()) : Optional.empty());
    }

    /** Creates values of classes that are not records. */
    private Object made(Class<?> type) {
        if (type == OptionalLong.class) {
            return random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(number());
        } else if (type == SecretHash.class) {
            byte[] bytes = new byte[SecretHash.LENGTH];
            random.nextBytes(bytes);
            return SecretHash.of(bytes);
        } else if (type == Secrets.class) {
            return call(() -> Secrets.of(texts()));
        } else if (type == VolumeContext.class) {
            return call(() -> VolumeContext.of(texts()));
        } else if (type == PublishContext.class) {
            return call(() -> PublishContext.of(texts()));
        } else if (type == MountFlags.class) {
            return call(() -> MountFlags.of(List.copyOf(texts().keySet())));
        } else if (type == Claims.class) {
            return Claims.of(list(Claim.class).stream().map(Claim.class::cast).toList());
        } else if (type == Attachments.class) {
            return Attachments.of(
                    list(Attachment.class).stream().map(Attachment.class::cast).toList());
        } else if (type == Retry.class) {
            return retry();
        } else if (type == CallRules.class) {
            return callRules();
        } else if (type == Modification.class) {
            return modification();
        } else if (type == VolumeSpec.class) {
            PluginId plugin = (PluginId) value(PluginId.class);
            return ((VolumeSpec.Builder) filled(VolumeSpec.builder(plugin))).restore();
        } else if (type == VolumeClass.class) {
            VolumeClassName name = (VolumeClassName) value(VolumeClassName.class);
            PluginId plugin = (PluginId) value(PluginId.class);
            return ((VolumeClass.Builder) filled(VolumeClass.builder(name, plugin)))
                    .restore()
                    .stored(number(), number());
        } else if (type == VolumeCommand.CreateFromClass.class) {
            // Only claims have attributes.
            VolumeClassName name = (VolumeClassName) value(VolumeClassName.class);
            VolumeTemplate.Builder template = (VolumeTemplate.Builder) filled(VolumeTemplate.builder(name));
            return new VolumeCommand.CreateFromClass(
                    (VolumeKey) value(VolumeKey.class),
                    template.attributes(Map.of()).build(),
                    time());
        } else if (type == VolumeTemplate.class) {
            VolumeClassName name = (VolumeClassName) value(VolumeClassName.class);
            return ((VolumeTemplate.Builder) filled(VolumeTemplate.builder(name))).build();
        } else if (type == Volume.class) {
            VolumeKey key = (VolumeKey) value(VolumeKey.class);
            VolumeSpec spec = (VolumeSpec) value(VolumeSpec.class);
            Volume volume = ((Volume.Builder) filled(Volume.builder(key, spec, number(), time()))).build();
            // A volume that was given up stays in its namespace.
            return volume.formerKey()
                    .map(former -> volume.toBuilder()
                            .formerKey(new VolumeKey(key.namespace(), former.volumeId()))
                            .build())
                    .orElse(volume);
        }
        throw new AssertionError("no way to make a " + type + "; add it here");
    }

    private CallRules callRules() {
        CallRules rules = CallRules.defaults();
        if (random.nextBoolean()) {
            rules = rules.withNotFoundAsDone();
        }
        if (random.nextBoolean()) {
            rules = rules.with(
                    (Rpc) value(Rpc.class),
                    StatusCode.ABORTED,
                    CallRule.elsewhere(CallOutcome.RETRY_AFTER_CAUSE, text() + "-"));
        }
        return rules;
    }

    /** Calls most methods of a builder with random values. */
    private Object filled(Object builder) {
        List<Method> methods = Arrays.stream(builder.getClass().getMethods())
                .filter(method -> method.getReturnType() == builder.getClass() && method.getParameterCount() > 0)
                .sorted(Comparator.comparing(Method::toGenericString))
                .toList();
        for (Method method : methods) {
            if (random.nextInt(4) > 0) {
                Object[] values = Arrays.stream(method.getGenericParameterTypes())
                        .map(this::value)
                        .toArray();
                call(() -> method.invoke(builder, values));
            }
        }
        return builder;
    }

    private Object generic(Class<?> type, Type[] arguments) {
        if (type == Optional.class) {
            return random.nextInt(3) == 0 ? Optional.empty() : Optional.of(value(arguments[0]));
        } else if (type == List.class || type == java.util.Collection.class || type == Iterable.class) {
            return list(arguments[0]);
        } else if (type == Map.class && arguments[0] == String.class) {
            // Returns confidential texts for parameters and their changes; only the maps of topologies are not
            // confidential.
            return texts();
        } else if (type == Map.class || type == SortedMap.class) {
            Map<Object, Object> map = type == Map.class ? new LinkedHashMap<>() : new TreeMap<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                map.put(value(arguments[0]), value(arguments[1]));
            }
            return map;
        } else if (type == SortedSet.class || type == Set.class) {
            return new TreeSet<>(list(arguments[0]));
        } else if (type == CapabilitySet.class) {
            return capabilities((Class<?>) arguments[0]);
        }
        throw new AssertionError("no way to make a " + type + "; add it here");
    }

    private List<Object> list(Type type) {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            list.add(value(type));
        }
        return list;
    }

    /** Creates confidential texts, each of which contains a canary. */
    private Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            texts.put(ConfidentialValuesTest.CANARY + text(), ConfidentialValuesTest.CANARY + text());
        }
        return texts;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.append(CHARACTERS.get(random.nextInt(CHARACTERS.size())));
        }
        if (random.nextInt(40) == 0) {
            text.insert(random.nextInt(text.length() + 1), HALVES.get(random.nextInt(HALVES.size())));
        }
        return text.toString();
    }

    private long number() {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> Long.MAX_VALUE;
            case 2 -> -random.nextLong(1, Long.MAX_VALUE);
            case 3 -> random.nextLong();
            default -> random.nextLong(1, 1_000);
        };
    }

    private Instant time() {
        return switch (random.nextInt(12)) {
            case 0 -> Instant.MIN;
            case 1 -> Instant.MAX;
            case 2 -> Instant.EPOCH;
            default ->
                Instant.ofEpochSecond(random.nextLong(-1_000_000, 4_000_000_000L), random.nextInt(1_000_000_000));
        };
    }

    private Retry retry() {
        Retry retry =
                Retry.of(random.nextInt(3), random.nextBoolean() ? text() : null, random.nextBoolean() ? time() : null);
        return random.nextBoolean() ? retry : retry.unresolved((UnresolvedCall) value(UnresolvedCall.class));
    }

    private Modification modification() {
        Map<String, Modification.RequestedChange> requested = new TreeMap<>();
        texts().forEach((name, value) -> {
            long since = random.nextLong(10);
            requested.put(name, new Modification.RequestedChange(value, since + random.nextLong(10), since));
        });
        return (Modification) call(() -> Modification.restore(requested, number(), retry()));
    }

    /** Creates a fingerprint whose instances are all on its node. */
    private PluginCommand.FingerprintNode fingerprint() {
        NodeId node = (NodeId) value(NodeId.class);
        List<PluginInstance> instances = new ArrayList<>();
        for (Object made : list(PluginInstance.class)) {
            PluginInstance one = (PluginInstance) made;
            InstanceKey key = new InstanceKey(
                    node, one.key().pluginId(), one.key().type(), one.key().allocationId());
            Object[] values = Arrays.stream(PluginInstance.class.getRecordComponents())
                    .map(component -> call(() -> component.getAccessor().invoke(one)))
                    .toArray();
            values[0] = key;
            Class<?>[] types = Arrays.stream(PluginInstance.class.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            instances.add(
                    random.nextInt(4) == 0
                            ? unproved(key, one)
                            : (PluginInstance) constructed(PluginInstance.class, types, values));
        }
        return (PluginCommand.FingerprintNode)
                call(() -> new PluginCommand.FingerprintNode(node, instances, number(), time()));
    }

    /** Returns an instance that has not answered: random facts would prove nearly every one. */
    private static PluginInstance unproved(InstanceKey key, PluginInstance times) {
        return new PluginInstance(
                key,
                false,
                times.healthDescription(),
                times.startedAt(),
                times.updatedAt(),
                Optional.empty(),
                Optional.empty(),
                Capabilities.unknown(),
                Optional.empty(),
                false);
    }

    private Object capabilities(Class<?> type) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            numbers.add(random.nextInt(20));
        }
        Method fromNumbers = Arrays.stream(CapabilitySet.class.getMethods())
                .filter(method -> method.getName().equals("fromNumbers") && Modifier.isStatic(method.getModifiers()))
                .findFirst()
                .orElseThrow();
        return call(() -> fromNumbers.invoke(null, type, numbers));
    }

    private static Object constructed(Class<?> type, Class<?>[] types, Object[] values) {
        return call(() -> {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        });
    }

    private interface Making {
        Object make() throws ReflectiveOperationException;
    }

    private static Object call(Making making) {
        try {
            return making.make();
        } catch (IllegalArgumentException e) {
            throw new RefusedException(e);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException refused) {
                throw new RefusedException(refused);
            }
            throw new AssertionError(e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
