package io.csi4j.node.transport;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Walks all fields of a value of csi4j, and of the values in it. */
final class Fields {
    private final Set<String> exempt;
    private final Set<String> withoutValue = new TreeSet<>();

    private Fields(Set<String> exempt) {
        this.exempt = exempt;
    }

    /**
     * Returns the fields that have the value of a new field that was forgotten: null, empty, false or 0.
     *
     * @param exempt fields that may, each with the simple name of its class
     */
    static Set<String> withoutValue(Object value, Set<String> exempt) {
        Fields walk = new Fields(exempt);
        walk.visit("the value", value);
        return walk.withoutValue;
    }

    private void visit(String name, Object value) {
        if (exempt.contains(name)) {
            return;
        }
        if (isDefault(value)) {
            withoutValue.add(name);
            return;
        }
        for (Object part : parts(value)) {
            visit(name, part);
        }
        if (value.getClass().getName().startsWith("io.csi4j.")
                && !value.getClass().isEnum()) {
            for (Class<?> type = value.getClass(); type != Object.class; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        visit(type.getSimpleName() + "." + field.getName(), read(field, value));
                    }
                }
            }
        }
    }

    private static Collection<?> parts(Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.stream().toList();
        }
        if (value instanceof Map<?, ?> map) {
            return map.values();
        }
        return value instanceof Collection<?> all ? all : List.of();
    }

    private static boolean isDefault(Object value) {
        return value == null
                || value.equals(false)
                || value.equals("")
                || value.equals(Duration.ZERO)
                || (value instanceof Number number && number.longValue() == 0)
                || (value.getClass().isArray() && Array.getLength(value) == 0)
                || ((value instanceof Optional<?> || value instanceof Collection<?> || value instanceof Map<?, ?>)
                        && Arrays.asList(Optional.empty(), List.of(), Set.of(), Map.of())
                                .contains(value));
    }

    private static Object read(Field field, Object value) {
        try {
            field.setAccessible(true);
            return field.get(value);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
