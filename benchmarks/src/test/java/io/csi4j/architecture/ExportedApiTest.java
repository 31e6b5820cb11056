package io.csi4j.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Keeps the exported API of csi-core as small as its uses. A program or a guide names each exported type, or a type that
 * is named shows it in a signature, or it is a value or call of CSI.
 */
class ExportedApiTest {
    /** The number of exported types. A new type needs a reason; a removed one lowers the number. */
    private static final int EXPORTED = 360;

    private static final Path CORE = Path.of("..", "csi-core", "src", "main", "java");

    /** The packages of CSI's own calls and values. */
    private static final Set<String> WIRE = Set.of("io.csi4j.core.csi", "io.csi4j.core.rpc");

    private static final List<String> PROGRAMS = List.of("examples", "csi-admin", "csi-micrometer");

    private static final Pattern EXPORTS = Pattern.compile("exports ([\\w.]+)(?:\\s+to\\s+([\\w.,\\s]+))?;");
    private static final Pattern WORD = Pattern.compile("[A-Z]\\w+");
    private static final Pattern MODULE_NAME = Pattern.compile("<csi4j.module>(.+)</csi4j.module>");

    private static final Pattern IMPORT =
            Pattern.compile("import (?:static )?(io\\.csi4j\\.core\\.internal\\.\\w+)\\.");

    private static Map<String, Set<String>> exports() {
        return exports(CORE.resolve("module-info.java"));
    }

    /** Returns the exported packages, each with the modules that it is exported to; none if all modules may use it. */
    private static Map<String, Set<String>> exports(Path descriptor) {
        Map<String, Set<String>> exports = new TreeMap<>();
        Matcher found = EXPORTS.matcher(read(descriptor));
        while (found.find()) {
            exports.put(
                    found.group(1),
                    found.group(2) == null
                            ? Set.of()
                            : Set.of(found.group(2).trim().split("\\s*,\\s*")));
        }
        return exports;
    }

    private static Set<Class<?>> exportedTypes() {
        Set<Class<?>> types = new HashSet<>();
        exports().forEach((name, modules) -> {
            if (modules.isEmpty()) {
                for (Path file : files(CORE.resolve(name.replace('.', '/')), ".java")) {
                    String type = file.getFileName().toString().replace(".java", "");
                    if (!type.equals("package-info") && file.getParent().endsWith(name.replace('.', '/'))) {
                        Class<?> loaded = load(name + "." + type);
                        if (Modifier.isPublic(loaded.getModifiers())) {
                            types.add(loaded);
                        }
                    }
                }
            }
        });
        return types;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ExportedApiTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the words that programs and guides contain, of which names of types are some. */
    private static Set<String> namedWords() {
        Stream<Path> sources = PROGRAMS.stream()
                .flatMap(module -> files(Path.of("..", module, "src", "main", "java"), ".java").stream());
        Stream<Path> guides = Stream.of(
                        files(Path.of("..", "docs"), ".md").stream()
                                .filter(page -> !page.toString().contains("decisions")),
                        Stream.of(Path.of("..", "README.md")),
                        modules().map(module -> module.resolve("README.md")).filter(Files::exists))
                .flatMap(paths -> paths);
        return Stream.concat(sources, guides)
                .flatMap(file -> WORD.matcher(read(file)).results())
                .map(word -> word.group())
                .collect(Collectors.toSet());
    }

    private static Stream<Path> modules() {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.filter(module -> Files.exists(module.resolve("pom.xml"))).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> files(Path folder, String ending) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the given types and all types that their visible signatures show, directly or through other types. */
    private static Set<Class<?>> shownBy(Set<Class<?>> named) {
        Set<Class<?>> shown = new HashSet<>();
        Deque<Class<?>> open = new ArrayDeque<>(named);
        while (!open.isEmpty()) {
            Class<?> type = open.pop();
            if (type.getName().startsWith("io.csi4j.core.") && shown.add(type)) {
                signatures(type).forEach(signature -> raw(signature, open, new HashSet<>()));
            }
        }
        return shown;
    }

    private static Stream<Type> signatures(Class<?> type) {
        Stream.Builder<Type> all = Stream.builder();
        Stream.of(type.getDeclaringClass(), type.getGenericSuperclass())
                .filter(each -> each != null)
                .forEach(all);
        Arrays.stream(type.getGenericInterfaces()).forEach(all);
        if (type.isSealed()) {
            Arrays.stream(type.getPermittedSubclasses())
                    .filter(each -> Modifier.isPublic(each.getModifiers()))
                    .filter(each -> !each.getPackageName().contains(".internal"))
                    .forEach(all);
        }
        Arrays.stream(type.getDeclaredClasses())
                .filter(each -> visible(each.getModifiers()))
                .forEach(all);
        for (Method method : type.getDeclaredMethods()) {
            if (visible(method.getModifiers())) {
                all.add(method.getGenericReturnType());
                Arrays.stream(method.getGenericParameterTypes()).forEach(all);
                Arrays.stream(method.getExceptionTypes()).forEach(all);
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (visible(constructor.getModifiers())) {
                Arrays.stream(constructor.getGenericParameterTypes()).forEach(all);
            }
        }
        return all.build();
    }

    private static boolean visible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static void raw(Type type, Deque<Class<?>> found, Set<Type> seen) {
        if (!seen.add(type)) {
            return;
        }
        if (type instanceof Class<?> plain) {
            found.add(plain.isArray() ? plain.getComponentType() : plain);
        } else if (type instanceof ParameterizedType generic) {
            raw(generic.getRawType(), found, seen);
            Arrays.stream(generic.getActualTypeArguments()).forEach(each -> raw(each, found, seen));
        } else if (type instanceof GenericArrayType array) {
            raw(array.getGenericComponentType(), found, seen);
        } else if (type instanceof WildcardType wildcard) {
            Arrays.stream(wildcard.getUpperBounds()).forEach(each -> raw(each, found, seen));
            Arrays.stream(wildcard.getLowerBounds()).forEach(each -> raw(each, found, seen));
        } else if (type instanceof TypeVariable<?> variable) {
            Arrays.stream(variable.getBounds()).forEach(each -> raw(each, found, seen));
        }
    }

    @Test
    void numberOfExportedTypesIsKnown() {
        assertThat(exportedTypes()).hasSize(EXPORTED);
    }

    @Test
    void everyExportedTypeIsNamedByProgramOrGuideOrShownByNamedTypeOrPartOfCsi() {
        Set<Class<?>> exported = exportedTypes();
        Set<String> words = namedWords();
        Set<Class<?>> named = exported.stream()
                .filter(type -> words.contains(type.getSimpleName()))
                .collect(Collectors.toSet());
        assertThat(named).hasSizeGreaterThan(100);
        Set<Class<?>> shown = shownBy(named);
        TreeSet<String> without = exported.stream()
                .filter(type -> !shown.contains(type))
                .filter(type -> !WIRE.contains(type.getPackageName()))
                .map(Class::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(without).isEmpty();
    }

    @Test
    void internalPackagesAreUsedByModulesThatTheyAreExportedToOnly() {
        Map<String, Set<String>> exports = exports();
        TreeSet<String> wrong = new TreeSet<>();
        // The benchmarks measure parts; all others are libraries and programs.
        modules()
                .filter(module -> !module.endsWith("csi-core") && !module.endsWith("benchmarks"))
                .filter(module -> Files.exists(module.resolve("src/main/java")))
                .forEach(module -> {
                    for (Path file : files(module.resolve("src/main/java"), ".java")) {
                        Matcher imports = IMPORT.matcher(read(file));
                        while (imports.find()) {
                            if (!exports.getOrDefault(imports.group(1), Set.of())
                                    .contains(name(module))) {
                                wrong.add(name(module) + " uses " + imports.group(1));
                            }
                        }
                    }
                });
        assertThat(wrong).isEmpty();
    }

    @Test
    void packageIsExportedOnlyToModulesThatUseIt() {
        Map<String, Path> sources = new TreeMap<>();
        modules()
                .filter(module -> Files.exists(module.resolve("src/main/java/module-info.java")))
                .forEach(module -> sources.put(name(module), module.resolve("src/main/java")));
        TreeSet<String> unused = new TreeSet<>();
        // Code can use a message of csi-proto without its name, as the result of a method.
        Map<String, Path> named = new TreeMap<>(sources);
        named.remove("io.csi4j.proto");
        named.forEach((module, source) -> exports(source.resolve("module-info.java"))
                .forEach((exported, users) -> users.stream()
                        .filter(user -> user.startsWith("io.csi4j."))
                        .filter(user -> files(sources.get(user), ".java").stream()
                                .noneMatch(file -> read(file).contains(exported + ".")))
                        .forEach(user -> unused.add(module + " exports " + exported + " to " + user))));
        assertThat(sources).hasSizeGreaterThan(10);
        assertThat(unused).isEmpty();
    }

    /** Returns the name of a module as its code has it, for example {@code io.csi4j.client} of csi-plugin-client. */
    private static String name(Path module) {
        Matcher name = MODULE_NAME.matcher(read(module.resolve("pom.xml")));
        if (!name.find()) {
            throw new IllegalArgumentException(module + ": the pom.xml has no property csi4j.module");
        }
        return name.group(1);
    }
}
