package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
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
    @TempDir
    Path directory;

    @Test
    void exampleJobFileIsReadWithAllVolumesAndJobs() throws IOException {
        JobFile file = JobFile.read(Path.of("jobs.txt"));
        assertThat(file.volumes()).hasSize(2);
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
        JobFile.Volume volume = file.volumes().get(VolumeKey.of("default", "db"));
        assertThat(volume.bytes()).isEqualTo(16 << 20);
        assertThat(volume.mode()).isEqualTo(VolumeAccessMode.MULTI_NODE_READER_ONLY);
        assertThat(file.requests(file.jobs().get("web")))
                .singleElement()
                .satisfies(request -> assertThat(request.mode()).isEqualTo(ClaimMode.READ));
        assertThat(file.drained()).containsExactly(NodeId.of("node-2"));
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
                "task web | 'task' is no kind of line; begin with volume, job or drain",
                "job Web | the second word is no name; write a name",
                "job web count=many | 'count=many' is no number; write count=1",
                "job web count=-1 | 'count=-1' is no number; write count=1",
                "volume db size=big | big",
                "job web color=red | 'color=red' is not one of [count, read, volumes]",
                "job web volumes=db | there is no line 'volume db' above it",
                "volume db mode=ANY | ANY"
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
