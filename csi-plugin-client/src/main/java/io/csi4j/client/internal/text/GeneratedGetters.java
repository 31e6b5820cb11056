package io.csi4j.client.internal.text;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Function;

/**
 * Reads fields with the generated methods of a message class. Reading a field by its descriptor is slower, because it
 * uses reflection and copies each entry of a map.
 */
final class GeneratedGetters {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private GeneratedGetters() {}

    /**
     * Returns a function that reads a field of the given message class: a map, a list, or a single value.
     *
     * @throws IllegalStateException if the class has no generated method for the field
     */
    @SuppressWarnings("unchecked") // The method returns the type of the field, which the caller knows.
    static <R> Function<Message, R> of(Class<?> type, FieldDescriptor field) {
        try {
            MethodHandle method = LOOKUP.unreflect(type.getMethod(name(field)));
            return (Function<Message, R>) LambdaMetafactory.metafactory(
                            LOOKUP,
                            "apply",
                            MethodType.methodType(Function.class),
                            MethodType.methodType(Object.class, Object.class),
                            method,
                            method.type())
                    .getTarget()
                    .invoke();
        } catch (Throwable failure) {
            throw new IllegalStateException(field.getFullName() + " cannot be read", failure);
        }
    }

    /** Returns the name of the generated method: {@code mount_flags} is read by {@code getMountFlagsList}. */
    private static String name(FieldDescriptor field) {
        StringBuilder name = new StringBuilder("get");
        for (String word : field.getName().split("_", -1)) {
            name.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
        }
        return name.append(field.isMapField() ? "Map" : field.isRepeated() ? "List" : "")
                .toString();
    }
}
