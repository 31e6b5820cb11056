package io.csi4j.core.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.csi.MountFlags;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecurityLabelTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "system_u:object_r:container_file_t:s0:c1,c2",
                "system_u:object_r:container_file_t:s0-s0:c0.c1023",
                "system_u:object_r:container_file_t",
                "u-1.a:r:t:SystemLow"
            })
    void labelBecomesAFlagInQuotes(String context) {
        SecurityLabel label = new SecurityLabel(context);
        assertThat(label.mountFlag()).isEqualTo("context=\"" + context + "\"");
        assertThat(label).hasToString(context);
        assertThat(SecurityLabel.isSetBy(label.mountFlag())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "s0",
                "u:r",
                "u:r:",
                ":r:t:s0",
                "u:r:t:",
                "u:r:t:s0\"",
                "u:r:t:s0,rw ",
                "u:r:t:s0\n",
                "u:r:t\u0000:s0",
                "u:r,x:t:s0",
                "u:r:t:s0;reboot",
                "u:r:t:s0\\054",
                "ü:r:t:s0"
            })
    void textThatIsNoLabelIsRefusedWithAnExample(String context) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SecurityLabel(context))
                .withMessageContaining("is no label")
                .withMessageContaining("for example system_u:object_r:container_file_t:s0:c1,c2")
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n", "\u0000"));
    }

    @Test
    void labelThatIsTooLongIsRefused() {
        assertThat(new SecurityLabel("u:r:" + "t".repeat(252)).context()).hasSize(256);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SecurityLabel("u:r:" + "t".repeat(253)))
                .withMessageContaining("257 characters; give at most 256");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "u:r:t:s0 u:r:t:s0",
                "u:r:t u:r:t",
                "u:r:t:s0:c1,c2,c3 u:r:t:s0:c1.c3",
                "u:r:t:s0:c3,c1 u:r:t:s0:c1,c3",
                "u:r:t:s0:c1.c2 u:r:t:s0:c1,c2",
                "u:r:t:s0:c1-s0:c1 u:r:t:s0:c1",
                "u:r:t:s0-s0:c0.c1023 u:r:t:s0-s0:c0.c1023"
            })
    void kernelMayWriteALevelInAnotherWay(String requested, String kernel) {
        assertThat(new SecurityLabel(requested).isSameAs(kernel)).isTrue();
        assertThat(new SecurityLabel(kernel).isSameAs(requested)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "u:r:t:s0 u:r:t",
                "u:r:t:s0 u:r:t:s1",
                "u:r:t:s0 u:r:x:s0",
                "u:r:t:s0:c1,c2 u:r:t:s0:c1",
                "u:r:t:s0:c1,c2 u:r:t:s0:c1.c3",
                "u:r:t:s0:c1,c2 u:r:t:s0",
                "u:r:t:s0:c1 u:r:t:s0-s0:c1",
                "u:r:t:SystemLow u:r:t:s0",
                "u:r:t:s0:c3.c1 u:r:t:s0:c1.c3",
                "u:r:t:s0:c1,,c2 u:r:t:s0:c1,c2",
                "u:r:t:s0 \"u:r:t:s0\""
            })
    void otherLabelIsNotTheSame(String requested, String kernel) {
        assertThat(new SecurityLabel(requested).isSameAs(kernel)).isFalse();
    }

    @Test
    void optionsWithALabelAreNotEmptyAndKeepItBesideFlags() {
        SecurityLabel label = new SecurityLabel("u:r:t:s0");
        MountOptions labelled = MountOptions.none().withLabel(label);
        assertThat(labelled.isEmpty()).isFalse();
        assertThat(labelled).isNotEqualTo(MountOptions.none());
        assertThat(labelled.withFlags(MountFlags.of("ro")).withoutFlags()).isEqualTo(labelled);
        assertThat(MountOptions.of("ext4").overriddenBy(labelled))
                .isEqualTo(MountOptions.of("ext4").withLabel(label));
        assertThat(labelled.overriddenBy(MountOptions.of("xfs")).securityLabel())
                .contains(label);
        assertThat(labelled.toMountVolume().mountFlags().isEmpty()).isTrue();
        for (String flag : new String[] {"context=x", "fscontext=x", "defcontext=x", "rootcontext=x"}) {
            assertThat(labelled.withFlags(MountFlags.of("ro", flag)).labelIsContradicted())
                    .as(flag)
                    .isTrue();
            assertThat(MountOptions.of("", flag).labelIsContradicted()).isFalse();
        }
        assertThat(labelled.withFlags(MountFlags.of("ro", "nocontext")).labelIsContradicted())
                .isFalse();
    }
}
