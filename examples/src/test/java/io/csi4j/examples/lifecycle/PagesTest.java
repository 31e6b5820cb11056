package io.csi4j.examples.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CsiClient;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.testkit.FakeCsiPlugin;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PagesTest {
    private static final long SECONDS = 20;

    @Test
    void allPagesAreRead(@TempDir Path directory) throws Exception {
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().maxPageSize(3).build();
                CsiClient client = CsiClient.connect(plugin.startOn("unix://" + directory.resolve("csi.sock"))
                        .endpoint())) {
            for (int i = 0; i < 8; i++) {
                CreateVolumeRequest request = CreateVolumeRequest.builder(
                                "volume-" + i, List.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)))
                        .build();
                client.controller().createVolume(request).get(SECONDS, TimeUnit.SECONDS);
            }
            List<ListVolumesResponse.Entry> all =
                    Pages.volumes(client.controller()).get(SECONDS, TimeUnit.SECONDS);
            assertThat(all).hasSize(8);
            assertThat(new HashSet<>(all)).hasSize(8);
        }
    }

    @Test
    void rejectedTokenStartsListingAgain() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        List<String> all = new Pages<String, String>(
                        token -> switch (calls.incrementAndGet()) {
                            case 1, 3 -> CompletableFuture.completedFuture("a>1");
                            case 2 -> CompletableFuture.failedFuture(Failures.pageRestart());
                            default -> CompletableFuture.completedFuture("b>");
                        },
                        page -> List.of(page.substring(0, 1)),
                        page -> page.substring(2))
                .from("")
                .get(SECONDS, TimeUnit.SECONDS);
        assertThat(all).containsExactly("a", "b");
    }

    @Test
    void listingThatNeverEndsFails() {
        assertThatThrownBy(() -> new Pages<String, String>(
                                token -> CompletableFuture.completedFuture("a>same"),
                                page -> List.of(page.substring(0, 1)),
                                page -> page.substring(2))
                        .from("")
                        .get(SECONDS, TimeUnit.SECONDS))
                .hasMessageContaining("the listing does not end");
    }

    @Test
    void listingFailsIfTokensAreAlwaysRejected() {
        assertThatThrownBy(() -> new Pages<String, String>(
                                token -> token.isEmpty()
                                        ? CompletableFuture.completedFuture("a>1")
                                        : CompletableFuture.failedFuture(Failures.pageRestart()),
                                page -> List.of(page.substring(0, 1)),
                                page -> page.substring(2))
                        .from("")
                        .get(SECONDS, TimeUnit.SECONDS))
                .hasMessageContaining("the token is no longer good");
    }
}
