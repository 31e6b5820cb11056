package io.csi4j.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each method of gRPC and protobuf that csi4j calls exists in the oldest versions of {@code compatibility.md}, too. The compiler writes the
 * signature of the version it sees, so a call can fail with an older one although its source fits.
 */
class LibraryVersionsTest {
    /** It is loaded only if Netty has its superclass. */
    private static final String NEWEST_NETTY_ONLY = "io.csi4j.client.internal.socket.EndlessLoops";

    private static final JavaClasses CALLERS = new ClassFileImporter()
            .importPackages(
                    "io.csi4j.client",
                    "io.csi4j.agent",
                    "io.csi4j.node",
                    "io.csi4j.state",
                    "io.csi4j.values",
                    "io.csi4j.testkit",
                    "io.csi4j.replication");

    @ParameterizedTest
    @ValueSource(strings = {"oldest", "protobuf-4"})
    void calledMethodsOfGrpcAndProtobufExist(String versions) throws Exception {
        TreeSet<String> missing = new TreeSet<>();
        int calls = 0;
        try (URLClassLoader libraries = libraries(versions)) {
            for (JavaClass caller : CALLERS) {
                if (caller.getName().startsWith(NEWEST_NETTY_ONLY)) {
                    continue;
                }
                for (JavaCodeUnitAccess<?> call : caller.getCodeUnitAccessesFromSelf()) {
                    if (isOfLibraries(call.getTargetOwner())) {
                        calls++;
                        if (!exists(call.getTarget(), libraries)) {
                            missing.add(caller.getName() + " calls "
                                    + call.getTarget().getFullName());
                        }
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(calls).isGreaterThan(1_000);
    }

    /** Returns the class path of this test, with the older jars first. */
    private static URLClassLoader libraries(String versions) throws IOException {
        List<URL> path = new ArrayList<>();
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("csi4j.versions.directory"), versions))) {
            for (Path jar : (Iterable<Path>) jars::iterator) {
                path.add(jar.toUri().toURL());
            }
        }
        assertThat(path).isNotEmpty();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            path.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    /** Also the generated classes, which inherit methods of protobuf. */
    private static boolean isOfLibraries(JavaClass owner) {
        return Stream.of("com.google.protobuf.", "io.grpc.", "io.csi4j.proto.").anyMatch(owner.getName()::startsWith);
    }

    private static boolean exists(CodeUnitAccessTarget target, ClassLoader loader) {
        List<String> parameters =
                target.getRawParameterTypes().stream().map(JavaClass::getName).toList();
        try {
            Class<?> owner = Class.forName(target.getOwner().getName(), false, loader);
            if (target.getName().equals("<init>")) {
                return Stream.of(owner.getDeclaredConstructors())
                        .anyMatch(constructor -> names(constructor).equals(parameters));
            }
            return declares(
                    owner,
                    method -> method.getName().equals(target.getName())
                            && names(method).equals(parameters)
                            && method.getReturnType()
                                    .getName()
                                    .equals(target.getRawReturnType().getName()));
        } catch (ClassNotFoundException | NoClassDefFoundError missing) {
            return false;
        }
    }

    private static List<String> names(Executable code) {
        return Stream.of(code.getParameterTypes()).map(Class::getName).toList();
    }

    /** Whether a class declares or inherits such a method. */
    private static boolean declares(@Nullable Class<?> type, Predicate<Method> wanted) {
        return type != null
                && (Stream.of(type.getDeclaredMethods()).anyMatch(wanted)
                        || declares(type.getSuperclass(), wanted)
                        || Stream.of(type.getInterfaces()).anyMatch(parent -> declares(parent, wanted))
                        || (type.isInterface() && declares(Object.class, wanted)));
    }
}
