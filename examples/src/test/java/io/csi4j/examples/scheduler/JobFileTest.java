package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.gson.JsonArray;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobFileTest {
    private static final WorkloadOwner WEB = WorkloadOwner.of("web", 3);
    private static final AllocationId WEB_0 = AllocationId.of("web-0-x7");

    @TempDir
    Path directory;

    @Test
    void exampleJobFileIsReadWithAllVolumesAndJobs() throws IOException {
        JobFile file = JobFile.read(Path.of("jobs.txt"));
        assertThat(file.volumes()).containsOnlyKeys("db", "logs", "scratch");
        assertThat(file.wrongLines()).isEmpty();
        assertThat(file.jobs()).containsOnlyKeys("database", "web", "batch");
        assertThat(file.jobs().get("web").count()).isEqualTo(2);
    }

    @Test
    void jobFileLinesAreParsedToVolumesJobsAndDrainedNodes() {
        JobFile file = JobFile.parse(List.of(
                "# a comment",
                "",
                "volume db size=16Mi mode=MULTI_NODE_READER_ONLY",
                "job web count=3 volumes=db read=yes # three readers",
                "drain node-2"));
        assertThat(file.requests(file.jobs().get("web"), WEB, WEB_0))
                .containsExactly(ClaimRequest.of(
                                VolumeKey.of("default", "db"),
                                ClaimMode.READ,
                                RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY))
                        .madeFrom(VolumeTemplate.builder(VolumeClassName.of("multi-node-reader-only"))
                                .capacityRange(CapacityRange.atLeast(16 << 20))
                                .build()));
        assertThat(file.drained()).containsExactly(NodeId.of("node-2"));
    }

    @Test
    void volumesOfEachLifetimeAreClaimedWithTheirClassAndOwner() {
        JobFile file = JobFile.parse(List.of(
                "class kept mode=MULTI_NODE_MULTI_WRITER reclaim=retain",
                "volume all class=kept lifetime=job",
                "volume own lifetime=allocation",
                "volume stays class=kept",
                "job web volumes=all,own,stays"));
        assertThat(file.wrongLines()).isEmpty();
        VolumeClass kept = file.classes().get(VolumeClassName.of("kept"));
        assertThat(kept.reclaim()).isEqualTo(ReclaimPolicy.RETAIN);
        assertThat(kept.problems()).isEmpty();
        List<ClaimRequest> requests = file.requests(file.jobs().get("web"), WEB, WEB_0);
        assertThat(requests)
                .extracting(ClaimRequest::volume)
                .containsExactly(
                        VolumeKey.of("default", "all"),
                        VolumeKey.ofAllocation(JobFile.NAMESPACE, WEB_0, "own"),
                        VolumeKey.of("default", "stays"));
        assertThat(requests)
                .extracting(request -> request.template().orElseThrow().lifetime())
                .containsExactly(VolumeLifetime.WORKLOAD, VolumeLifetime.ALLOCATION, VolumeLifetime.PERSISTENT);
        assertThat(requests.get(0).template().orElseThrow().workload()).contains(WEB);
        JsonArray sent = new JsonArray();
        requests.forEach(request -> sent.add(AssignedClaims.write(request)));
        assertThat(AssignedClaims.read(sent)).isEqualTo(requests);
    }

    @Test
    void jobOfAllocationIsFoundOnlyIfJobFileHasThatInstance() {
        JobFile file = JobFile.parse(List.of("job web-front count=2"));
        assertThat(JobFile.instance(AllocationId.of("web-front-1-x7"))).isEqualTo("web-front-1");
        assertThat(file.jobOf(AllocationId.of("web-front-1-x7"))).isPresent();
        assertThat(file.jobOf(AllocationId.of("web-front-2-x7"))).isEmpty();
        assertThat(file.jobOf(AllocationId.of("other-0-x7"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "task web | 'task' is no kind of line; begin with class, volume, job or drain",
                "job Web | the second word is no name; write a name",
                "job web count=many | 'count=many' is no number; write count=1",
                "job web count=-1 | 'count=-1' is no number; write count=1",
                "volume db size=big | big",
                "job web color=red | 'color=red' is not one of [count, read, volumes]",
                "job web volumes=db | there is no line 'volume db' above it",
                "volume db mode=ANY | ANY",
                "volume db class=fast | there is no line 'class fast' above it",
                "volume db lifetime=day | 'lifetime=day' is not one of [PERSISTENT, ALLOCATION, WORKLOAD]",
                "class c reclaim=maybe | 'reclaim=maybe' is not one of [DELETE, RETAIN]",
                "class c size=1 | 'size=1' is not one of [mode, reclaim]"
            })
    void wrongLineIsNamedWithItsReason(String line, String reason) {
        JobFile file = JobFile.parse(List.of("", line, "job batch"));
        assertThat(file.wrongLines()).singleElement().satisfies(wrong -> {
            assertThat(wrong.number()).isEqualTo(2);
            assertThat(wrong.in(Path.of("jobs.txt")))
                    .startsWith("jobs.txt, line 2, '" + line + "': ")
                    .contains(reason);
        });
        assertThat(file.jobs()).as("the other line counts").containsOnlyKeys("batch");
    }

    @Test
    void jobThatWrongLineMayBeAboutIsUnclear() {
        AllocationId web = AllocationId.of("web-0-x7");
        AllocationId batch = AllocationId.of("batch-0-x7");
        assertThat(JobFile.parse(List.of("job web volumes=none", "job batch")).isUnclear(web))
                .isTrue();
        JobFile unreadable = JobFile.parse(List.of("jbo web", "job batch"));
        assertThat(unreadable.isUnclear(web)).isTrue();
        assertThat(unreadable.isUnclear(batch)).as("it has a line").isFalse();
        assertThat(JobFile.parse(List.of("job other color=red")).isUnclear(web)).isFalse();
        assertThat(JobFile.parse(List.of("volume db size=big", "drain")).isUnclear(web))
                .isFalse();
        assertThat(JobFile.parse(List.of("job")).isUnclear(web)).isTrue();
        assertThat(JobFile.parse(List.of()).isUnclear(web)).isFalse();
        assertThat(JobFile.parse(List.of("jobweb count=1")).isUnclear(web)).isTrue();
        assertThat(JobFile.parse(List.of("jbo w*b")).isUnclear(web)).isTrue();
        assertThat(JobFile.parse(List.of("jbo batch", "nonsense here", "nonsense"))
                        .isUnclear(web))
                .as("lines about something else")
                .isFalse();
    }

    @Test
    void bytesThatAreNoTextMakeOnlyTheirLineWrong() throws IOException {
        Path file = directory.resolve("jobs.txt");
        Files.write(file, "job web # \u00fc\njob b\u00fc\njob batch\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(JobFile.read(file).jobs()).containsOnlyKeys("web", "batch");
        assertThat(JobFile.read(file).wrongLines())
                .extracting(JobFile.WrongLine::number)
                .containsExactly(2);
        assertThatIOException().isThrownBy(() -> JobFile.check(file)).withMessageContaining("jobs.txt, line 2, 'job b");
    }

    @Test
    void editWithWrongLineChangesNothing() throws IOException {
        Path file = directory.resolve("jobs.txt");
        JobFile.edit(file, lines -> List.of("job web"));
        assertThatIllegalArgumentException().isThrownBy(() -> JobFile.edit(file, lines -> List.of("nonsense")));
        assertThat(Files.readAllLines(file)).containsExactly("job web");
        assertThat(directory).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void editBesideWrongLineIsDone() throws IOException {
        Path file = directory.resolve("jobs.txt");
        Files.write(file, List.of("job web volumes=none"));
        JobFile.edit(file, lines -> List.of("drain node-1", lines.get(0)));
        assertThat(Files.readAllLines(file)).containsExactly("drain node-1", "job web volumes=none");
    }
}
