package io.csi4j.architecture;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes what other code can use of a type: its declaration, and its public and protected members, one in each line. */
final class ApiSignatures {
    /** A program relies on the method of {@link Object} or of an enum, not on a declaration that repeats it. */
    private static final Set<String> OF_ALL_TYPES = Set.of("equals(Object)", "hashCode()", "toString()");

    private static final Set<String> OF_ALL_ENUMS = Set.of("values()", "valueOf(String)");

    private ApiSignatures() {}

    /** Returns the lines of a type and of its visible nested types; none if the type is not visible. */
    static List<String> of(Class<?> type) {
        if (!visible(type.getModifiers())) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add(type.getPackageName() + ": " + declaration(type));
        members(type).map(member -> "    " + member).sorted().distinct().forEach(lines::add);
        Arrays.stream(type.getDeclaredClasses())
                .sorted((one, two) -> one.getName().compareTo(two.getName()))
                .forEach(nested -> lines.addAll(of(nested)));
        return lines;
    }

    private static String declaration(Class<?> type) {
        StringBuilder text = new StringBuilder(marks(type, type.getModifiers() & ~implied(type)));
        text.append(kind(type)).append(' ').append(name(type)).append(parameters(type.getTypeParameters()));
        if (type.isRecord()) {
            text.append(Arrays.stream(type.getRecordComponents())
                    .map(ApiSignatures::component)
                    .collect(Collectors.joining(", ", "(", ")")));
        }
        AnnotatedType parent = type.getAnnotatedSuperclass();
        if (parent != null && !Set.of(Object.class, Record.class, Enum.class).contains(type.getSuperclass())) {
            text.append(" extends ").append(name(parent));
        }
        text.append(list(
                " implements ", Arrays.stream(type.getAnnotatedInterfaces()).map(ApiSignatures::name)));
        if (type.isSealed()) {
            text.append(list(
                    " permits ", Arrays.stream(type.getPermittedSubclasses()).map(ApiSignatures::name)));
        }
        return text.toString();
    }

    /** Returns the modifiers that each type of its kind has. */
    private static int implied(Class<?> type) {
        if (type.isInterface()) {
            return Modifier.INTERFACE | Modifier.ABSTRACT | Modifier.STATIC;
        }
        return type.isRecord() || type.isEnum() ? Modifier.FINAL | Modifier.STATIC : 0;
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "@interface";
        }
        return type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    }

    private static String component(RecordComponent component) {
        return name(component.getAnnotatedType()) + " " + component.getName();
    }

    private static Stream<String> members(Class<?> type) {
        Stream<Class<?>> declaring =
                Stream.iterate(type, each -> each != null && isPartOf(each, type), each -> each.getSuperclass());
        return declaring.flatMap(each -> Stream.of(
                        Arrays.stream(each.getDeclaredFields())
                                .filter(ApiSignatures::visible)
                                .map(ApiSignatures::field),
                        (each == type ? Arrays.stream(each.getDeclaredConstructors()) : Stream.<Constructor<?>>empty())
                                .filter(ApiSignatures::visible)
                                .map(made -> marks(made, made.getModifiers()) + signature(made, each.getSimpleName())),
                        Arrays.stream(each.getDeclaredMethods())
                                .filter(ApiSignatures::visible)
                                .filter(method -> !isOfAll(method))
                                .map(ApiSignatures::method))
                .flatMap(lines -> lines));
    }

    /** Returns whether users see the members of a parent in the type only, because the parent is not visible itself. */
    private static boolean isPartOf(Class<?> parent, Class<?> type) {
        return parent == type || !visible(parent.getModifiers());
    }

    private static boolean isOfAll(Method method) {
        String call = method.getName() + calledWith(method);
        return OF_ALL_TYPES.contains(call)
                || (method.getDeclaringClass().isEnum() && OF_ALL_ENUMS.contains(call))
                || (method.getDeclaringClass().isRecord() && isAccessor(method));
    }

    private static boolean isAccessor(Method method) {
        return Arrays.stream(method.getDeclaringClass().getRecordComponents())
                .anyMatch(component -> method.equals(component.getAccessor()));
    }

    private static String field(Field field) {
        return field.isEnumConstant()
                ? marks(field, 0) + "constant " + field.getName()
                : marks(field, field.getModifiers()) + name(field.getAnnotatedType()) + " " + field.getName();
    }

    private static String method(Method method) {
        int implied = method.getDeclaringClass().isInterface() ? Modifier.ABSTRACT : 0;
        int modifiers = method.getModifiers() & ~Modifier.SYNCHRONIZED & ~Modifier.NATIVE & ~implied;
        String marks = marks(method, modifiers) + (method.isDefault() ? "default " : "");
        String variables = parameters(method.getTypeParameters());
        return marks + (variables.isEmpty() ? "" : variables + " ") + name(method.getAnnotatedReturnType()) + " "
                + signature(method, method.getName());
    }

    private static String signature(Executable called, String name) {
        return name
                + calledWith(called)
                + list(
                        " throws ",
                        Arrays.stream(called.getAnnotatedExceptionTypes()).map(ApiSignatures::name));
    }

    private static String calledWith(Executable called) {
        String types = Arrays.stream(called.getAnnotatedParameterTypes())
                .map(ApiSignatures::name)
                .collect(Collectors.joining(", "));
        return "(" + (called.isVarArgs() ? types.replaceFirst("\\[\\]$", "...") : types) + ")";
    }

    /** Returns the annotations for users of an element, and its modifiers. */
    private static String marks(AnnotatedElement element, int modifiers) {
        String deprecated = element.isAnnotationPresent(Deprecated.class) ? "@Deprecated " : "";
        String words = Modifier.toString(modifiers & ~Modifier.TRANSIENT & ~Modifier.VOLATILE & ~Modifier.STRICT);
        return deprecated + (words.isEmpty() ? "" : words + " ");
    }

    private static String parameters(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Arrays.stream(variables).map(ApiSignatures::parameter).collect(Collectors.joining(", ", "<", ">"));
    }

    private static String parameter(TypeVariable<?> variable) {
        Stream<String> bounds = Arrays.stream(variable.getAnnotatedBounds())
                .map(ApiSignatures::name)
                .filter(bound -> !bound.equals("Object"));
        String all = bounds.collect(Collectors.joining(" & "));
        return variable.getName() + (all.isEmpty() ? "" : " extends " + all);
    }

    private static String name(AnnotatedType type) {
        String nullable = isNullable(type) ? "@Nullable " : "";
        if (type instanceof AnnotatedArrayType array) {
            return name(array.getAnnotatedGenericComponentType()) + (nullable.isEmpty() ? "" : " " + nullable) + "[]";
        }
        if (type instanceof AnnotatedParameterizedType generic) {
            Type raw = ((ParameterizedType) generic.getType()).getRawType();
            Stream<String> arguments =
                    Arrays.stream(generic.getAnnotatedActualTypeArguments()).map(ApiSignatures::name);
            return nullable + name((Class<?>) raw) + arguments.collect(Collectors.joining(", ", "<", ">"));
        }
        if (type instanceof AnnotatedTypeVariable variable) {
            return nullable + variable.getType().getTypeName();
        }
        if (type instanceof AnnotatedWildcardType wildcard) {
            return nullable + wildcard(wildcard, (WildcardType) wildcard.getType());
        }
        return nullable + name((Class<?>) type.getType());
    }

    private static String wildcard(AnnotatedWildcardType wildcard, WildcardType type) {
        if (type.getLowerBounds().length > 0) {
            return "? super " + name(wildcard.getAnnotatedLowerBounds()[0]);
        }
        String bound = name(wildcard.getAnnotatedUpperBounds()[0]);
        return bound.equals("Object") ? "?" : "? extends " + bound;
    }

    private static boolean isNullable(AnnotatedType type) {
        for (Annotation annotation : type.getAnnotations()) {
            if (annotation instanceof Nullable) {
                return true;
            }
        }
        return false;
    }

    /** Returns the name of a type without its package, and with the types around it. */
    private static String name(Class<?> type) {
        if (type.isArray()) {
            return name(type.getComponentType()) + "[]";
        }
        String name = type.getName();
        return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
    }

    private static String list(String word, Stream<String> names) {
        String all = names.sorted().collect(Collectors.joining(", "));
        return all.isEmpty() ? "" : word + all;
    }

    private static boolean visible(Member member) {
        return visible(member.getModifiers()) && !member.isSynthetic();
    }

    private static boolean visible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }
}
