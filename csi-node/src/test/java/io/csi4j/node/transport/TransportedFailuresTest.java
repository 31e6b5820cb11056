package io.csi4j.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.lifecycle.ClaimLostException;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.node.NodeVolumeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Failures arrive with their types; a new type has to be added to one of the lists. */
class TransportedFailuresTest {
    /** Failures that arrive as a {@link RemoteFailureException}, because no caller on the other side decides by their type. */
    private static final Set<String> REMOTE = Set.of(
            "BadRequestException",
            "CommandFormatException",
            "CommandTooLargeException",
            "DatabaseUnusableException",
            "FailureException",
            "InterruptedOperationException",
            "LogFailedException",
            "LogOverloadedException",
            "CheckEndedException",
            "NoControllerException",
            "NoLeaderException",
            "NoSecretsException",
            "NotReadyException",
            "OvertakenException",
            "PeerLimitException",
            "PluginInUseException",
            "PluginNotReadyException",
            "PluginStoreException",
            "PolicyException",
            "RefusedException",
            "RemoteFailureException",
            "SilentLogException",
            "SnapshotFailedException",
            "SourceInUseException",
            "StateFormatException",
            "TransportFormatException",
            "UnansweredCommandException",
            "UncertainCommandException",
            "UnfinishedException",
            "VolumeRemovedException",
            "WriteTimeoutException",
            "WrongAnswerException",
            "WrongPlaceException");

    /** Rejections that neither a claim nor a report of a node gets. */
    private static final Set<Class<?>> REMOTE_REJECTIONS = Set.of(
            Rejection.AccessTokensExist.class,
            Rejection.AllocationMoved.class,
            Rejection.AttachmentInUse.class,
            Rejection.AttachmentNotFound.class,
            Rejection.ClaimNotFound.class,
            Rejection.ClaimStateSkipped.class,
            Rejection.ClaimStillAttached.class,
            Rejection.ConflictingFields.class,
            Rejection.ExternalIdTaken.class,
            Rejection.InBatch.class,
            Rejection.InvalidRequest.class,
            Rejection.PluginInUse.class,
            Rejection.PublishContextChanged.class,
            Rejection.QuotaChanged.class,
            Rejection.PluginProfileChanged.class,
            Rejection.QuotaExceeded.class,
            Rejection.SnapshotNotFound.class,
            Rejection.VolumeChanged.class,
            Rejection.VolumeClassChanged.class,
            Rejection.VolumeInUse.class,
            Rejection.WrongAttachmentState.class);

    private static final Pattern FAILURE = Pattern.compile("class (\\w+) extends CsiException\\b");

    static Stream<CsiException> kept() {
        return Stream.concat(
                rejections().map(RejectedException::new),
                Stream.of(
                        new CsiCallException(
                                Rpc.NODE_STAGE_VOLUME,
                                "ebs",
                                null,
                                StatusCode.NOT_FOUND,
                                CallOutcome.RETRY_AFTER_CAUSE,
                                "the plugin says so",
                                "it is not there",
                                null),
                        new CsiRequestException("the request", List.of(new Problem("field", "is missing", "set it"))),
                        new NotLeadingException(),
                        new ClaimLostException(Samples.KEY, Samples.WEB),
                        new AccessDeniedException(
                                "ann", new Access(Permission.VOLUME_LIST, Optional.of(Namespace.of("team")))),
                        new NodeVolumeException(NodeVolumeException.Reason.OTHER_MACHINE, "it was replaced")));
    }

    private static Stream<Rejection> rejections() {
        return Stream.of(
                new Rejection.VolumeNotFound(Samples.KEY),
                new Rejection.AllocationNotFound(Samples.WEB),
                new Rejection.AllocationEnded(Samples.WEB),
                new Rejection.NotAdmitted(
                        Samples.KEY,
                        Samples.WEB,
                        new AdmissionDecision.Never(NeverReason.OTHER_NAMESPACE, "for this reason")),
                new Rejection.WrongPhase(Samples.KEY, VolumePhase.DELETING, VolumePhase.AVAILABLE),
                new Rejection.CreationUnfinished(Samples.KEY),
                new Rejection.DeletionUnfinished(Samples.KEY),
                new Rejection.FingerprintOutdated(Samples.NODE, 3, 9),
                new Rejection.NodeNotFound(Samples.NODE),
                new Rejection.NodeLost(Samples.NODE, NodeStatus.GONE),
                new Rejection.NodeMachineChanged(
                        Samples.NODE, Samples.PLUGIN, Samples.MACHINE, Optional.of(Samples.MACHINE)));
    }

    private static Throwable arrived(Throwable failure) {
        return TransportCodec.FAILURE.decode(TransportCodec.FAILURE.encode(failure));
    }

    @ParameterizedTest
    @MethodSource("kept")
    void failureArrivesWithItsTypeAndFields(CsiException failure) {
        assertThat(arrived(failure))
                .usingRecursiveComparison()
                .withStrictTypeChecking()
                .ignoringFields("stackTrace")
                .isEqualTo(failure)
                .satisfies(there -> assertThat(((CsiException) there).summary()).isEqualTo(failure.summary()));
    }

    @Test
    void everyFailureOfCsi4jIsInOneOfTheLists() {
        Set<String> known =
                kept().map(each -> each.getClass().getSimpleName()).collect(Collectors.toCollection(TreeSet::new));
        known.add(LogClosedException.class.getSimpleName());
        known.addAll(REMOTE);
        assertThat(declared()).containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void everyRejectionIsInOneOfTheLists() {
        Set<Class<?>> known =
                rejections().map(Object::getClass).collect(Collectors.toCollection(java.util.HashSet::new));
        known.addAll(REMOTE_REJECTIONS);
        assertThat(Arrays.asList(Rejection.class.getPermittedSubclasses())).containsExactlyInAnyOrderElementsOf(known);
    }

    /** Returns the names of all failures in the sources of csi4j. */
    private static Set<String> declared() {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .flatMap(TransportedFailuresTest::sources)
                    .flatMap(file -> FAILURE.matcher(read(file)).results())
                    .map(found -> found.group(1))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> sources(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
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

    @Test
    void closedLogArrivesAsServerThatDoesNotLead() {
        assertThat(arrived(new LogClosedException("StateStore"))).isInstanceOf(NotLeadingException.class);
    }

    @Test
    void otherFailureOfCsi4jArrivesWithItsTextAndItsAnswerToARepetition() {
        CsiException unfinished = new UnfinishedException("it waits for the plugin", null);
        RemoteFailureException there = (RemoteFailureException) arrived(unfinished);
        assertThat(there).hasMessage("it waits for the plugin");
        assertThat(there.summary()).isEqualTo(unfinished.summary());
        assertThat(there.retryable()).isTrue();
    }

    @Test
    void textOfForeignFailureIsNotSent() {
        RemoteFailureException there = (RemoteFailureException) arrived(new IllegalStateException("the password is p"));
        assertThat(there.getMessage()).contains("IllegalStateException").doesNotContain("password");
        assertThat(there.retryable()).isTrue();
    }
}
