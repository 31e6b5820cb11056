package io.csi4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The module exports the packages of the API to everyone, and internal packages only to other modules of csi4j. */
class ModuleTest {
    private static Path classes() throws URISyntaxException {
        return Path.of(io.csi4j.core.spi.Environment.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static ModuleDescriptor module() throws IOException, URISyntaxException {
        try (InputStream in = Files.newInputStream(classes().resolve("module-info.class"))) {
            return ModuleDescriptor.read(in);
        }
    }

    private static Set<String> packages() throws IOException, URISyntaxException {
        Path root = classes();
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".class")
                            && !file.getParent().equals(root))
                    .map(file -> root.relativize(file.getParent()).toString().replace('/', '.'))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @Test
    void onlyApiPackagesAreExportedToAllModules() throws Exception {
        Set<String> api = packages();
        api.removeIf(name -> name.contains(".internal"));
        assertThat(module().exports().stream()
                        .filter(exports -> !exports.isQualified())
                        .map(ModuleDescriptor.Exports::source))
                .containsExactlyInAnyOrderElementsOf(api);
    }

    @Test
    void internalPackagesAreExportedOnlyToModulesOfThisProject() throws Exception {
        assertThat(module().exports().stream()
                        .filter(ModuleDescriptor.Exports::isQualified)
                        .flatMap(exports -> exports.targets().stream()))
                .allMatch(target -> target.startsWith("io.csi4j."));
    }
}
