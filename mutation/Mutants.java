import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.pitest.classinfo.ClassByteArraySource;
import org.pitest.classinfo.ClassName;
import org.pitest.classpath.ClassloaderByteArraySource;
import org.pitest.classpath.CodeSource;
import org.pitest.coverage.NoCoverage;
import org.pitest.functional.prelude.Prelude;
import org.pitest.mutationtest.EngineArguments;
import org.pitest.mutationtest.MutationConfig;
import org.pitest.mutationtest.build.MutationInterceptor;
import org.pitest.mutationtest.build.MutationSource;
import org.pitest.mutationtest.config.PluginServices;
import org.pitest.mutationtest.config.ReportOptions;
import org.pitest.mutationtest.config.SettingsFactory;
import org.pitest.mutationtest.engine.Mutater;
import org.pitest.mutationtest.engine.MutationDetails;
import org.pitest.mutationtest.engine.MutationEngine;
import org.pitest.mutationtest.incremental.NullHistory;
import org.pitest.util.Glob;

/** The mutants of PIT, with its default mutators and filters. */
final class Mutants {
    private static final List<String> LOGGERS = List.of(
            "java.util.logging", "java.lang.System$Logger", "io.csi4j.core.lifecycle.internal.call.FailureLog");

    private final CodeSource code;
    private final Mutater mutater;
    private final MutationSource source;

    /**
     * @param classes the directory of the classes; they and their libraries are on the class path, too
     */
    Mutants(Path classes) {
        ReportOptions options = new ReportOptions();
        options.setClassPathElements(List.of(classes.toString()));
        options.setCodePaths(List.of(classes.toString()));
        options.setTargetClasses(List.of("io.csi4j.*"));
        options.setLoggingClasses(LOGGERS);
        options.setFeatures(List.of());
        SettingsFactory settings = new SettingsFactory(options, PluginServices.makeForContextLoader());
        MutationEngine engine = settings.createEngine().createEngine(EngineArguments.arguments());
        ClassByteArraySource bytes = ClassloaderByteArraySource.fromContext();
        code = settings.createCodeSource(options.getMutationClassPaths());
        MutationInterceptor filters = settings.getInterceptor()
                .createInterceptor(options, new NoCoverage(), bytes, mutant -> List.of(), code, new NullHistory());
        filters.initialise(code);
        mutater = engine.createMutator(bytes);
        source = new MutationSource(new MutationConfig(engine, null), mutant -> List.of(), bytes, filters);
    }

    static Predicate<String> matching(Collection<String> globs) {
        return Prelude.or(Glob.toGlobPredicates(globs))::test;
    }

    List<String> classes() {
        return code.getCodeUnderTestNames().stream()
                .map(ClassName::asJavaName)
                .sorted()
                .toList();
    }

    Stream<MutationDetails> of(String className) {
        return source.createMutations(ClassName.fromString(className)).stream()
                .sorted(Comparator.comparing(MutationDetails::getLineNumber)
                        .thenComparing(MutationDetails::getFirstIndex));
    }

    synchronized byte[] code(MutationDetails mutant) {
        return mutater.getMutation(mutant.getId()).getBytes();
    }
}
